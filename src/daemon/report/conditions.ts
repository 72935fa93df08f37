import type { ConditionReport } from '../../api/conditions.ts'
import { nodeConditions, pinnedImageSetsSeen, setCondition } from '../../api/conditions.ts'
import { nodeReasons } from '../../api/reasons.ts'
import type { Condition } from '@machinist/core/resource'
import type { Milestone } from './milestone.ts'
import { conditionsAt } from './milestone.ts'

/** The phases that every MachineConfigNode tells about from its first report on. */
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

/** Not about an update: stays when one is over. */
const standing: ReadonlySet<string> = new Set([
  nodeConditions.updated,
  nodeConditions.nodeDegraded,
  nodeConditions.pinnedImageSetsProgressing,
  nodeConditions.pinnedImageSetsDegraded,
  pinnedImageSetsSeen,
  nodeConditions.internalReleaseImageDegraded,
])

/** What the conditions say once a milestone is reached; the very same list where nothing is new. */
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
  return milestone.at === 'updated' ? closed(conditions, milestone.config) : conditions
}

/**
 * An update is over: its phases no longer hold, but what happened in them can still be read, and when: their times stay
 * those of the events.
 */
function closed(conditions: readonly Condition[], config: string): readonly Condition[] {
  const isOver = ({ type, status }: Condition): boolean => status === 'False' || standing.has(type)
  if (conditions.every(isOver)) return conditions
  const begin = `Action during update to ${config}: `
  return conditions.map((condition) => {
    if (isOver(condition)) return condition
    const { type, reason = type, message = '' } = condition
    const told = message.startsWith('Action during update to ') ? message : `${begin}${message}`
    return { ...condition, status: 'False', reason, message: told }
  })
}

const notYet = (type: string): ConditionReport => ({
  type,
  status: 'False',
  reason: nodeReasons.notYetOccurred,
  message: `This node has not yet entered the ${type} phase`,
})
