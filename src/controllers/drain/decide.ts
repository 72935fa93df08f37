import { DecisionChain } from '@machinist/kube/controller/decision-chain'
import type { Pod } from '@machinist/kube/kinds/core'
import { isTerminating, podsToEvict } from './pods-to-evict.ts'
import type { DrainFacts } from './facts.ts'
import type { DrainRecord } from './record.ts'
import { cordonedRecord, recordFor } from './record.ts'
import { pendingRequest } from './request.ts'
import { evictEveryMs, phaseAt } from './timing.ts'

/** The next step, with the check that decided and its reason. */
export interface DrainPlan extends CheckResult {
  readonly check: string
}

interface CheckResult {
  readonly why: string
  readonly next: DrainAction
}

export type DrainAction =
  | { readonly action: 'nothing' }
  /** The request is invalid: its writer must correct it. */
  | { readonly action: 'reject' }
  | { readonly action: 'fail'; readonly failure: unknown }
  /** Until the pool gives the node a turn. */
  | { readonly action: 'wait' }
  | { readonly action: 'cordon'; readonly record: DrainRecord }
  | ({ readonly action: 'evict' } & EvictionStep)
  | { readonly action: 'acknowledge'; readonly value: string }

/** One step of a drain: the pods to evict now, and those that remain. */
export interface EvictionStep {
  /** Pods to evict or delete now; none while the drain pauses. */
  readonly pods: readonly Readonly<Pod>[]
  readonly method: 'evict' | 'delete'
  readonly graceSeconds?: number
  /** All pods that must leave the node, including terminating ones. */
  readonly remaining: readonly Readonly<Pod>[]
  readonly ageMs: number
  readonly pausing: boolean
  /** Whether this is the first step of an attempt. */
  readonly begins: boolean
  /** The time until the phase changes: the attempt ends, the pause ends, or deletion is allowed. */
  readonly phaseEndsInMs: number
  readonly overdue: boolean
}

/** The conditions for acknowledging a drain, in this order. */
const drainChain = DecisionChain.of<DrainFacts, CheckResult>(
  {
    'a drain is requested': ({ node }) => {
      const request = pendingRequest(node)
      if (request && request.verb !== 'uncordon') return undefined
      return { why: 'no drain is requested', next: { action: 'nothing' } }
    },

    'the request is valid': ({ node }) => {
      const request = pendingRequest(node)!
      if (request.verb !== 'unknown') return undefined
      const why = `desiredDrain is "${request.value}", which is neither drain-… nor uncordon-…: correct the annotation`
      return { why, next: { action: 'reject' } }
    },

    /** Otherwise a node with unread pods would look like an empty one. */
    'everything could be read': ({ readFailure: failure }) => {
      if (failure === undefined) return undefined
      const why = 'the settings, the turn or the pods could not be read'
      return { why, next: { action: 'fail', failure } }
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
      const { value } = pendingRequest(node)!
      return {
        why: 'the node is schedulable, or the start of its drain is not recorded',
        next: { action: 'cordon', record: recordFor(node, value, now) },
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
      next: { action: 'acknowledge', value: pendingRequest(node)!.value },
    }),
  },
  ({ why }) => why,
)

/** Pure: the next step of a node's drain. */
export function decide(facts: DrainFacts): DrainPlan {
  const { check, result } = drainChain.evaluate(facts)!
  return { check, ...result }
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
