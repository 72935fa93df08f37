import { nodeStates } from '../../api/annotations.ts'
import { nodeEvents } from '../../api/reasons.ts'
import type { DrainState } from './drain-request.ts'
import { asksForDrain, isPending, patienceMs } from './drain-request.ts'
import type { Said } from './policies-machine.ts'
import type { Situation } from './situation.ts'

/** Nothing else is begun while a drain or an uncordon is under way. */
export const drainPolicies = {
  'drain is answered': ({ drain, facts }) =>
    isPending(drain) ? waitingFor(drain, facts.waitedMs) : undefined,
} as const satisfies Readonly<Record<string, (situation: Situation) => Said | undefined>>

/** For a drain or an uncordon that was asked for; at some point people should know. */
export function waitingFor(drain: DrainState, waitedMs: number): Said {
  const isDrain = asksForDrain(drain)
  const patience = isDrain ? patienceMs.drain : patienceMs.uncordon
  const what = isDrain ? 'drained' : 'uncordoned'
  if (waitedMs < patience) {
    const why = `the node is being ${what} (${drain.desired})`
    return { why, next: { do: 'wait', forMs: patience - waitedMs } }
  }
  const minutes = patience / 60_000
  const reason = `the node was not ${what} within ${minutes} minutes (${drain.desired}); the drain controller's log and events say what is in the way. Still waiting`
  const event = isDrain ? nodeEvents.failedToDrain : nodeEvents.failedToUncordon
  return {
    why: reason,
    next: { do: 'wait', event },
    report: { state: nodeStates.degraded, reason },
  }
}
