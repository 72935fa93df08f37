import type { ConditionReport } from '../../api/conditions.ts'
import { isCondition, nodeConditions, setCondition } from '../../api/conditions.ts'
import { drainEvents, drainReasons } from '../../api/reasons.ts'
import type { Condition } from '@machinist/core/resource'
import type { Blocker } from '../../fleet/drain/blockers.ts'
import { blockersText } from '../../fleet/drain/blockers.ts'

/** What a MachineConfigNode is told about cordon, drain and uncordon. In progress is Unknown, finished is True. */
export type Report =
  | { readonly at: 'no turn'; readonly config: string; readonly why: string }
  | { readonly at: 'cordon failed'; readonly config: string; readonly error: string }
  | {
      readonly at: 'draining'
      readonly config: string
      readonly blockers: readonly Blocker[]
      readonly overdue: boolean
    }
  | {
      readonly at: 'drain failed'
      readonly config: string
      readonly error: string
      /** Still in the way, as far as is known. */
      readonly blockers: readonly Blocker[]
    }
  | { readonly at: 'drained'; readonly config: string }
  | { readonly at: 'uncordon failed'; readonly config: string; readonly error: string }
  | { readonly at: 'uncordoned'; readonly config: string }
  | { readonly at: 'cordon kept'; readonly config: string; readonly why: string }

const { cordoned, drained, uncordoned } = nodeConditions

/** The conditions after a report; the very same list where it brings nothing new. */
export function conditionsAfter(
  before: readonly Condition[] | undefined,
  report: Report,
  now: string,
): readonly Condition[] {
  let conditions = before ?? []
  for (const said of conditionsAt(report)) conditions = setCondition(conditions, said, now)
  // A node that is being drained is no longer what an earlier update left behind.
  const stale = isCondition(conditions, uncordoned) && isCondition(conditions, cordoned)
  if (stale && report.at !== 'uncordoned') {
    conditions = setCondition(conditions, said(uncordoned, 'False', 'Node is cordoned'), now)
  }
  return conditions
}

/** For a condition and for an event: why a drain does not come to its end. */
export function blockedText(config: string, blockers: readonly Blocker[]): string {
  const count = blockers.length === 1 ? '1 pod' : `${blockers.length} pods`
  return `Draining for ${config} is held up by ${count}: ${blockersText(blockers)}`
}

function conditionsAt(report: Report): ConditionReport[] {
  const { config } = report
  const isCordoned = said(cordoned, 'True', `Cordoned for ${config}`)
  switch (report.at) {
    case 'no turn': {
      const message = `Draining for ${config} waits: ${report.why}`
      return [said(drained, 'Unknown', message, drainReasons.waitingForTurn)]
    }
    case 'cordon failed':
      return [said(cordoned, 'Unknown', `Cordoning for ${config}. Error: ${report.error}`)]
    case 'drain failed': {
      const { blockers, error } = report
      const what = blockers.length > 0 ? blockedText(config, blockers) : `Draining for ${config}`
      return [said(drained, 'Unknown', `${what}. Error: ${error}`)]
    }
    case 'draining':
      return [isCordoned, draining(report)]
    case 'drained':
      return [isCordoned, said(drained, 'True', `Drained for ${config}`)]
    case 'uncordon failed':
      return [said(uncordoned, 'Unknown', `Uncordoning after ${config}. Error: ${report.error}`)]
    case 'uncordoned':
      return [said(uncordoned, 'True', `Uncordoned after ${config}`)]
    case 'cordon kept':
      return [said(uncordoned, 'False', report.why, 'CordonKept')]
  }
}

function draining(report: Extract<Report, { at: 'draining' }>): ConditionReport {
  const { config, blockers, overdue } = report
  const reason = overdue ? drainEvents.drainFailed : drainEvents.drainBlocked
  if (blockers.length > 0) return said(drained, 'Unknown', blockedText(config, blockers), reason)
  return said(
    drained,
    'Unknown',
    `Draining for ${config}`,
    overdue ? reason : drainReasons.draining,
  )
}

function said(
  type: string,
  status: ConditionReport['status'],
  message: string,
  reason: string = type,
): ConditionReport {
  return { type, status, reason, message }
}
