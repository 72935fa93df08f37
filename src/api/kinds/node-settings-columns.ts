import { nodeSettingsConditions } from '../conditions.ts'
import { ageColumn, conditionColumn, textColumn, wide } from '../schema/kind.ts'

const { success, failure } = nodeSettingsConditions

/** Printer columns of KubeletConfig and ContainerRuntimeConfig. */
export const nodeSettingsColumns = [
  conditionColumn(success),
  conditionColumn(failure),
  ageColumn,
  wide(textColumn('Message', `.status.conditions[?(@.type=="${failure}")].message`)),
]
