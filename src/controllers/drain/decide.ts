import { DecisionChain } from '@machinist/kube/controller/decision-chain'
import { isTerminating, podsToEvict } from './pods-to-evict.ts'
import type { DrainDecision, DrainFacts, DrainResult, EvictionStep } from './facts.ts'
import type { DrainRecord } from './record.ts'
import { recordFor, recordOf } from './record.ts'
import { isCordoned, pendingRequest } from './request.ts'
import { evictEveryMs, phaseAt } from './timing.ts'

/** The conditions for acknowledging a drain, in this order. */
const drainChain = DecisionChain.of<DrainFacts, DrainResult>(
  {
    'the node exists': ({ node }) =>
      node ? undefined : { why: 'the node does not exist', next: { action: 'nothing' } },

    'a drain is requested': ({ node }) => {
      const request = node && pendingRequest(node)
      if (request && request.verb !== 'uncordon') return undefined
      return { why: 'no drain is requested', next: { action: 'nothing' } }
    },

    'the request is valid': ({ node }) => {
      const request = pendingRequest(node!)!
      if (request.verb !== 'unknown') return undefined
      const why = `desiredDrain is "${request.value}", which is neither drain-… nor uncordon-…: correct the annotation`
      return { why, next: { action: 'reject' } }
    },

    /** Only before the drain begins: later the node is cordoned, and so counts against the budget. */
    'the node has a turn': ({ poolWithoutTurn: pool }) => {
      if (pool === undefined) return undefined
      const why = `MachineConfigPool ${pool} has not given this node a turn: the drain begins when its budget (maxUnavailable) allows it.`
      return { why, next: { action: 'wait' } }
    },

    /** Still cordoned, for this request, with its start recorded. */
    'the node is cordoned for the drain': ({ node, now }) => {
      if (cordonedRecord(node)) return undefined
      const { value } = pendingRequest(node!)!
      return {
        why: 'the node is schedulable, or the start of its drain is not recorded',
        next: { action: 'cordon', record: recordFor(node!, value, now) },
      }
    },

    'all pods have left': (facts) => {
      const { pods, settings, missingDaemonSets } = facts
      const remaining = podsToEvict(pods, { skip: settings.skip, missingDaemonSets })
      if (remaining.length === 0) return undefined
      const count = remaining.length === 1 ? '1 pod has' : `${remaining.length} pods have`
      return {
        why: `${count} not left yet`,
        next: { action: 'evict', ...evictionStepOf(facts, remaining) },
      }
    },

    'the drain is acknowledged': ({ node }) => ({
      why: 'the node is cordoned and all pods that must leave have left',
      next: { action: 'acknowledge', value: pendingRequest(node!)!.value },
    }),
  },
  ({ why }) => why,
)

/** Pure: the next step of a node's drain. */
export function decide(facts: DrainFacts): DrainDecision {
  const { check, result } = drainChain.evaluate(facts)!
  return { check, ...result }
}

/** The record of the pending drain, if the node is cordoned for it. */
export function cordonedRecord(node: DrainFacts['node']): DrainRecord | undefined {
  const request = node && pendingRequest(node)
  const record = node && recordOf(node)
  const holds = request?.verb === 'drain' && record?.request === request.value && isCordoned(node!)
  return holds ? record : undefined
}

function evictionStepOf(
  { node, settings, now }: DrainFacts,
  remaining: EvictionStep['remaining'],
): EvictionStep {
  const { graceSeconds, forceAfterMs = Infinity, timeoutMs } = settings
  const ageMs = Math.max(0, now - cordonedRecord(node)!.since)
  const forced = ageMs >= forceAfterMs
  // Forced deletion starts a new attempt instead of waiting for the end of a long pause.
  const phase = phaseAt(forced ? ageMs - forceAfterMs : ageMs)
  return {
    pods: phase.pausing ? [] : remaining.filter((pod) => !isTerminating(pod)),
    method: forced ? 'delete' : 'evict',
    ...(graceSeconds !== undefined && { graceSeconds }),
    remaining,
    ageMs,
    pausing: phase.pausing,
    begins: !phase.pausing && phase.sinceMs < evictEveryMs,
    phaseEndsInMs: forced ? phase.leftMs : Math.min(phase.leftMs, forceAfterMs - ageMs),
    overdue: ageMs > timeoutMs,
  }
}
