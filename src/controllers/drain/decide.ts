import { isLeaving, podsToLeave } from './departures.ts'
import type { Decision, Facts, Move, Next } from './facts.ts'
import type { DrainRecord } from './record.ts'
import { recordFor, recordOf } from './record.ts'
import { isCordoned, pendingRequest } from './request.ts'
import { evictEveryMs, turnAt } from './timing.ts'

type Said = { readonly why: string; readonly next: Next }
type Policy = (facts: Facts) => Said | undefined

/** What must hold before a drain is acknowledged, in this order. */
const policies = {
  'node exists': ({ node }) =>
    node ? undefined : { why: 'there is no such node', next: { do: 'nothing' } },

  'a drain is asked for': ({ node }) => {
    const request = node && pendingRequest(node)
    if (request && request.verb !== 'uncordon') return undefined
    return { why: 'no drain is asked for', next: { do: 'nothing' } }
  },

  'the request is understood': ({ node }) => {
    const request = pendingRequest(node!)!
    if (request.verb !== 'unknown') return undefined
    const why = `desiredDrain is "${request.value}", and neither drain-… nor uncordon-…: whoever wrote it has to correct it`
    return { why, next: { do: 'complain' } }
  },

  /** Only before it begins: a drain under way counts in the budget by itself, since its node is cordoned. */
  'a turn covers it': ({ poolWithoutTurn: pool }) => {
    if (pool === undefined) return undefined
    const why = `MachineConfigPool ${pool} has not given this node a turn: the drain begins when its budget (maxUnavailable) allows it.`
    return { why, next: { do: 'refuse' } }
  },

  /** By us, for this very request, with its beginning written down; and still. */
  'node is cordoned for it': ({ node, now }) => {
    if (cordonedRecord(node)) return undefined
    const { value } = pendingRequest(node!)!
    return {
      why: 'the node still takes pods, or the beginning of its drain is not written down',
      next: { do: 'cordon', record: recordFor(node!, value, now) },
    }
  },

  'every pod has left': (facts) => {
    const { pods, settings, missingDaemonSets } = facts
    const remaining = podsToLeave(pods, { skip: settings.skip, missingDaemonSets })
    if (remaining.length === 0) return undefined
    const count = remaining.length === 1 ? '1 pod has' : `${remaining.length} pods have`
    return { why: `${count} not left yet`, next: { do: 'move', ...moveOf(facts, remaining) } }
  },
} as const satisfies Readonly<Record<string, Policy>>

/** Pure: what the next step of a node's drain is. */
export function decide(facts: Facts): Decision {
  for (const [policy, holds] of Object.entries(policies)) {
    const said = holds(facts)
    if (said) return { policy, ...said }
  }
  const { value } = pendingRequest(facts.node!)!
  return {
    policy: 'drain is acknowledged',
    why: 'the node is cordoned and every pod that has to leave has left',
    next: { do: 'acknowledge', value },
  }
}

/** The record of the pending drain, if the node is cordoned for it: only then does it help to look at the pods. */
export function cordonedRecord(node: Facts['node']): DrainRecord | undefined {
  const request = node && pendingRequest(node)
  const record = node && recordOf(node)
  const holds = request?.verb === 'drain' && record?.request === request.value && isCordoned(node!)
  return holds ? record : undefined
}

function moveOf({ node, settings, now }: Facts, remaining: Move['remaining']): Move {
  const { graceSeconds, forceAfterMs = Infinity, timeoutMs } = settings
  const ageMs = Math.max(0, now - cordonedRecord(node)!.since)
  const forced = ageMs >= forceAfterMs
  // With force the rounds begin anew: nobody has to wait for the end of a long rest.
  const turn = turnAt(forced ? ageMs - forceAfterMs : ageMs)
  return {
    pods: turn.resting ? [] : remaining.filter((pod) => !isLeaving(pod)),
    how: forced ? 'delete' : 'evict',
    ...(graceSeconds !== undefined && { graceSeconds }),
    remaining,
    ageMs,
    resting: turn.resting,
    begins: !turn.resting && turn.sinceMs < evictEveryMs,
    turnsInMs: forced ? turn.leftMs : Math.min(turn.leftMs, forceAfterMs - ageMs),
    overdue: ageMs > timeoutMs,
  }
}
