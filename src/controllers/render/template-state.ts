import {
  conditionOf,
  controllerConfigConditions,
  isCondition,
  roleOfTemplatesFailing,
} from '../../api/conditions.ts'
import { labels } from '../../api/labels.ts'
import type { ControllerConfig, MachineConfigPool } from '../../api/resources.ts'
import type { Condition } from '../../base/resource.ts'
import { selectedBy } from './gather.ts'

/** How far the templates are from which a pool gets MachineConfigs. */
export interface TemplateState {
  /** Both are about the newest ControllerConfig. */
  readonly failing: Condition | undefined
  readonly isDone: boolean
}

/**
 * Where it is told for each role, only the roles that the pool selects count: a mistake in the templates of one does not
 * hold back the others. The original tells it for all roles together.
 */
export function templateState(
  { metadata, status }: ControllerConfig,
  pool: MachineConfigPool,
): TemplateState {
  if (metadata.generation !== status?.observedGeneration) {
    return { failing: undefined, isDone: false }
  }
  const { conditions = [] } = status ?? {}
  const { running, completed, failing } = controllerConfigConditions
  const byRole = conditions.filter(({ type }) => roleOfTemplatesFailing(type) !== undefined)
  const isRunning = isCondition(conditions, running)
  if (byRole.length === 0) {
    const failed = isCondition(conditions, failing) ? conditionOf(conditions, failing) : undefined
    return { failing: failed, isDone: !failed && !isRunning && isCondition(conditions, completed) }
  }
  const failed = byRole.find(({ type, status: state }) => state === 'True' && selects(pool, type))
  return { failing: failed, isDone: !failed && !isRunning }
}

function selects(pool: MachineConfigPool, conditionType: string): boolean {
  const role = roleOfTemplatesFailing(conditionType)!
  const ofRole = { metadata: { name: role, labels: { [labels.role]: role } } }
  return selectedBy(pool, [ofRole]).machineConfigs.length > 0
}
