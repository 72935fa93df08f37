import {
  conditionOf,
  controllerConfigConditions,
  isCondition,
  roleOfTemplatesFailing,
} from '../../api/conditions.ts'
import type { ControllerConfig, MachineConfigPool } from '../../api/resources.ts'
import type { Condition } from '@machinist/core/resource'
import { selectsRole } from './gather.ts'

/** How far the templates are from which a pool gets MachineConfigs. */
export interface TemplateState {
  /** Both are about the newest ControllerConfig. */
  readonly failing: Condition | undefined
  readonly isDone: boolean
  /** What is in the way of what is not done, where it is told. */
  readonly obstacle?: string
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

/** All of a ControllerConfig that counts for templates. Others tell there how far nodes are, which changes all the time. */
export function saidOfTemplates({ metadata, status }: Readonly<ControllerConfig>): unknown {
  const { generation, annotations: marks } = metadata
  const conditions = status?.conditions?.filter(({ type }) => isOfTemplates(type))
  return [generation, marks, status?.observedGeneration, conditions]
}

const templateConditions: ReadonlySet<string> = new Set(Object.values(controllerConfigConditions))

const isOfTemplates = (type: string): boolean =>
  templateConditions.has(type) || roleOfTemplatesFailing(type) !== undefined
