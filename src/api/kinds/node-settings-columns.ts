import { nodeSettingsConditions } from '../conditions.ts'
import { ageColumn, conditionColumn, textColumn, wide } from '../schema/kind.ts'

const { success, failure } = nodeSettingsConditions

/** KubeletConfig and ContainerRuntimeConfig: whether it is in use, and if not, why. */
export const nodeSettingsColumns = [
  conditionColumn(success),
  conditionColumn(failure),
  ageColumn,
  wide(textColumn('Message', `.status.conditions[?(@.type=="${failure}")].message`)),
]
