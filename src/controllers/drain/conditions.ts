import type { Condition } from '@machinist/core/objects/resource'
import type { ConditionReport } from '../../api/conditions.ts'
import { isCondition, nodeConditions, setCondition } from '../../api/conditions.ts'
import { drainEvents, drainReasons } from '../../api/reasons.ts'
import type { DrainBlocker } from '../../fleet/drain/blockers.ts'
import { formatBlockers } from '../../fleet/drain/blockers.ts'

/** A report about cordon, drain or uncordon. In its condition, Unknown is in progress and True is finished. */
export type DrainReport =
  | { readonly type: 'no turn'; readonly config: string; readonly why: string }
  | { readonly type: 'cordon failed'; readonly config: string; readonly error: string }
  | {
      readonly type: 'draining'
      readonly config: string
      readonly blockers: readonly DrainBlocker[]
      readonly overdue: boolean
    }
  | {
      readonly type: 'drain failed'
      readonly config: string
      readonly error: string
      /** The last known blockers. */
      readonly blockers: readonly DrainBlocker[]
    }
  | { readonly type: 'drained'; readonly config: string }
  | { readonly type: 'uncordon failed'; readonly config: string; readonly error: string }
  | { readonly type: 'uncordoned'; readonly config: string }
  | { readonly type: 'cordon kept'; readonly config: string; readonly why: string }

const { cordoned, drained, uncordoned } = nodeConditions

/** The conditions after a report; the same list if nothing changes. */
export function conditionsAfter(
  before: readonly Condition[] | undefined,
  report: DrainReport,
  now: string,
): readonly Condition[] {
  let conditions = before ?? []
  for (const each of conditionsOf(report)) conditions = setCondition(conditions, each, now)
  // A new drain invalidates Uncordoned of the previous update.
  const stale = isCondition(conditions, uncordoned) && isCondition(conditions, cordoned)
  if (stale && report.type !== 'uncordoned') {
    conditions = setCondition(conditions, condition(uncordoned, 'False', 'Node is cordoned'), now)
  }
  return conditions
}

/** Why a drain is blocked, for conditions and events. `parseBlockers` reads it back. */
export function blockedText(config: string, blockers: readonly DrainBlocker[]): string {
  const count = blockers.length === 1 ? '1 pod' : `${blockers.length} pods`
  return `Draining for ${config} is held up by ${count}: ${formatBlockers(blockers)}`
}

function conditionsOf(report: DrainReport): ConditionReport[] {
  const { config } = report
  const isCordoned = condition(cordoned, 'True', `Cordoned for ${config}`)
  switch (report.type) {
    case 'no turn': {
      const message = `Draining for ${config} waits: ${report.why}`
      return [condition(drained, 'Unknown', message, drainReasons.waitingForTurn)]
    }
    case 'cordon failed':
      return [condition(cordoned, 'Unknown', `Cordoning for ${config}. Error: ${report.error}`)]
    case 'drain failed': {
      const { blockers, error } = report
      const text = blockers.length > 0 ? blockedText(config, blockers) : `Draining for ${config}`
      return [condition(drained, 'Unknown', `${text}. Error: ${error}`)]
    }
    case 'draining':
      return [isCordoned, draining(report)]
    case 'drained':
      return [isCordoned, condition(drained, 'True', `Drained for ${config}`)]
    case 'uncordon failed':
      return [
        condition(uncordoned, 'Unknown', `Uncordoning after ${config}. Error: ${report.error}`),
      ]
    case 'uncordoned':
      return [condition(uncordoned, 'True', `Uncordoned after ${config}`)]
    case 'cordon kept':
      return [condition(uncordoned, 'False', report.why, 'CordonKept')]
  }
}

function draining(report: Extract<DrainReport, { type: 'draining' }>): ConditionReport {
  const { config, blockers, overdue } = report
  const reason = overdue ? drainEvents.drainFailed : drainEvents.drainBlocked
  if (blockers.length > 0)
    return condition(drained, 'Unknown', blockedText(config, blockers), reason)
  return condition(
    drained,
    'Unknown',
    `Draining for ${config}`,
    overdue ? reason : drainReasons.draining,
  )
}

function condition(
  type: string,
  status: ConditionReport['status'],
  message: string,
  reason: string = type,
): ConditionReport {
  return { type, status, reason, message }
}
