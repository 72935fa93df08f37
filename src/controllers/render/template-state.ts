import type { Condition } from '@machinist/core/objects/resource'
import {
  conditionOf,
  controllerConfigConditions,
  isCondition,
  roleOfTemplatesFailing,
} from '../../api/conditions.ts'
import type { ControllerConfig, MachineConfigPool } from '../../api/kinds/resources.ts'
import { selectsRole } from './gather.ts'

/** The state of the templates whose MachineConfigs a pool selects. */
export interface TemplateState {
  /** Both refer to the newest generation of the ControllerConfig. */
  readonly failing: Condition | undefined
  readonly isDone: boolean
  /** The reason why the template controller waits, if it reports one. */
  readonly obstacle?: string
}

/**
 * With conditions per role only the roles that the pool selects count: an error in the templates of one role does not block
 * the others. MCO has one condition for all roles.
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
  const { message } = conditionOf(conditions, running) ?? {}
  const byRole = conditions.filter(({ type }) => roleOfTemplatesFailing(type) !== undefined)
  const isRunning = isCondition(conditions, running)
  const obstacle = isRunning && message ? { obstacle: message } : {}
  if (byRole.length === 0) {
    const failed = isCondition(conditions, failing) ? conditionOf(conditions, failing) : undefined
    const isDone = !failed && !isRunning && isCondition(conditions, completed)
    return { failing: failed, isDone, ...obstacle }
  }
  const failed = byRole.find(
    ({ type, status: state }) =>
      state === 'True' && selectsRole(pool, roleOfTemplatesFailing(type)!),
  )
  return { failing: failed, isDone: !failed && !isRunning, ...obstacle }
}

/** The fields of a ControllerConfig that concern templates, without conditions about nodes, which change all the time. */
export function relevantTemplateFields({ metadata, status }: Readonly<ControllerConfig>): unknown {
  const { generation, annotations } = metadata
  const conditions = status?.conditions?.filter(({ type }) => isOfTemplates(type))
  return [generation, annotations, status?.observedGeneration, conditions]
}

const templateConditions: ReadonlySet<string> = new Set(Object.values(controllerConfigConditions))

const isOfTemplates = (type: string): boolean =>
  templateConditions.has(type) || roleOfTemplatesFailing(type) !== undefined
