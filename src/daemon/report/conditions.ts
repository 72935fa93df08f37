import type { Condition } from '@machinist/core/objects/resource'
import type { ConditionReport } from '../../api/conditions.ts'
import { nodeConditions, pinnedImageSetsSeen, setCondition } from '../../api/conditions.ts'
import { nodeReasons } from '../../api/reasons.ts'
import type { Milestone } from './milestone.ts'
import { conditionsAt } from './milestone.ts'

/** The phases that every MachineConfigNode lists from its first report on. */
const phases = [
  nodeConditions.updatePrepared,
  nodeConditions.updateExecuted,
  nodeConditions.updatePostActionComplete,
  nodeConditions.updateComplete,
  nodeConditions.updated,
  nodeConditions.resumed,
  nodeConditions.drained,
  nodeConditions.appliedFilesAndOS,
  nodeConditions.cordoned,
  nodeConditions.uncordoned,
  nodeConditions.rebootedNode,
  nodeConditions.nodeDegraded,
]

/** Conditions that do not describe an update and so stay when one completes. */
const standing: ReadonlySet<string> = new Set([
  nodeConditions.updated,
  nodeConditions.nodeDegraded,
  nodeConditions.pinnedImageSetsProgressing,
  nodeConditions.pinnedImageSetsDegraded,
  pinnedImageSetsSeen,
  nodeConditions.internalReleaseImageDegraded,
])

/** The conditions after a milestone; the same list if nothing changes. */
export function conditionsAfter(
  before: readonly Condition[] | undefined,
  milestone: Milestone,
  now: string,
): readonly Condition[] {
  let conditions = before ?? []
  const set = (report: ConditionReport): void => {
    conditions = setCondition(conditions, report, now)
  }
  for (const report of conditionsAt(milestone)) set(report)
  for (const type of phases) if (!conditions.some((known) => known.type === type)) set(notYet(type))
  return milestone.type === 'updated' ? closed(conditions, milestone.config) : conditions
}

/**
 * Closes the phases of a completed update: they become False, and keep their messages and times as a record of what
 * happened and when.
 */
function closed(conditions: readonly Condition[], config: string): readonly Condition[] {
  const isOver = ({ type, status }: Condition): boolean => status === 'False' || standing.has(type)
  if (conditions.every(isOver)) return conditions
  const begin = `Action during update to ${config}: `
  return conditions.map((condition) => {
    if (isOver(condition)) return condition
    const { type, reason = type, message = '' } = condition
    const isRecord = message.startsWith('Action during update to ')
    return {
      ...condition,
      status: 'False',
      reason,
      message: isRecord ? message : `${begin}${message}`,
    }
  })
}

const notYet = (type: string): ConditionReport => ({
  type,
  status: 'False',
  reason: nodeReasons.notYetOccurred,
  message: `This node has not yet entered the ${type} phase`,
})
