import { nodeStates } from '../../../api/annotations.ts'
import { nodeEvents } from '../../../api/reasons.ts'
import type { DrainState } from '../facts/drain-request.ts'
import { drainTimeoutMs, isDrainPending, requestsDrain } from '../facts/drain-request.ts'
import type { NodeSituation } from '../facts/situation.ts'
import type { CheckResult } from './decision.ts'

/** Nothing else begins while a drain or an uncordon is in progress. */
export const drainChecks = {
  'drain is complete': ({ drain, facts }) =>
    isDrainPending(drain) ? waitForDrain(drain, facts.waitedMs) : undefined,
} as const satisfies Readonly<Record<string, (situation: NodeSituation) => CheckResult | undefined>>

/** Waits for the requested drain or uncordon. After the timeout the node is Degraded, and the wait continues. */
export function waitForDrain(drain: DrainState, waitedMs: number): CheckResult {
  const isDrain = requestsDrain(drain)
  const timeoutMs = isDrain ? drainTimeoutMs.drain : drainTimeoutMs.uncordon
  const what = isDrain ? 'drained' : 'uncordoned'
  if (waitedMs < timeoutMs) {
    const why = `the node is being ${what} (${drain.desired})`
    return { why, next: { action: 'wait', forMs: timeoutMs - waitedMs } }
  }
  const minutes = timeoutMs / 60_000
  const reason = `the node was not ${what} within ${minutes} minutes (${drain.desired}); see the log and events of the drain controller for the cause. The daemon keeps waiting`
  const event = isDrain ? nodeEvents.failedToDrain : nodeEvents.failedToUncordon
  return {
    why: reason,
    next: { action: 'wait', event },
    report: { state: nodeStates.degraded, reason },
  }
}
