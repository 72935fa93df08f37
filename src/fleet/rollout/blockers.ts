import type { Drift } from '../../api/drift-reason.ts'
import { drainReasons } from '../../api/reasons.ts'
import type { Condition } from '@machinist/core/resource'
import type { RolloutFacts } from './facts.ts'
import type { NodeFacts, Target } from './node-facts.ts'
import { isDegraded, isDone, isToldTo } from './node-facts.ts'
import { shortened, sinceInWords } from './wording.ts'

/** A node that keeps its pool from going on, and why. */
export interface Blocker {
  readonly node: string
  readonly because: string
}

/** Nodes that do not come on by themselves. One that is simply busy with its update is none. */
export function blockersIn(
  { nodes, drains, now, driftedSince }: RolloutFacts,
  target: Target,
  drifted: ReadonlyMap<string, Drift> = new Map(),
): Blocker[] {
  const blockers: Blocker[] = []
  for (const node of nodes) {
    if (patienceFor(node, now) > 0) continue
    const drift = drifted.get(node.name)
    const because = drift
      ? driftInWords(drift, driftedSince?.get(node.name))
      : blockedBecause(node, target, drains.get(node.name))
    if (because !== undefined) blockers.push({ node: node.name, because })
  }
  return blockers
}

/** What the Drained condition says is in the way of a drain. That one is under way, or about to be, is no trouble. */
export function drainTrouble(drained: Condition | undefined): string | undefined {
  if (drained?.status !== 'Unknown' || drained.reason === drainReasons.draining) return undefined
  return drained.message || undefined
}

/** After how long one of these nodes would be called a blocker although nothing happens. */
export function blockedIn({ nodes, now }: Pick<RolloutFacts, 'nodes' | 'now'>): number | undefined {
  const waits = nodes.map((node) => patienceFor(node, now)).filter((ms) => ms > 0)
  return waits.length === 0 ? undefined : Math.min(...waits)
}

/** A machine may be away this long to reboot before anybody is told that it does not come back. */
const rebootMs = 10 * 60_000

/** How long it may still be away without a word; 0 if it is not, or has been for long. */
function patienceFor(node: NodeFacts, now: number): number {
  if (isDegraded(node) || isDone(node)) return 0
  const since = node.problems.find(({ kind }) => kind === 'NotReady')?.since
  const left = since === undefined ? 0 : Date.parse(since) + rebootMs - now
  return Number.isNaN(left) ? 0 : Math.min(Math.max(left, 0), rebootMs)
}

const driftInWords = ({ config, differences }: Drift, since: string | undefined): string =>
  `has drifted from ${config}${sinceInWords(since)}: ${shortened(differences)}`

function blockedBecause(
  node: NodeFacts,
  target: Target,
  drain: string | undefined,
): string | undefined {
  if (isDegraded(node)) {
    const config = isToldTo(node, target) ? target.config : (node.desired ?? 'its configuration')
    const why = node.reason === undefined ? 'its daemon does not say why' : shortened(node.reason)
    return `cannot apply ${config}: ${why}`
  }
  if (node.draining) return drain === undefined ? undefined : `drain blocked: ${shortened(drain)}`
  if (node.current === undefined) return 'has not reported a configuration yet'
  const isBusy = !isDone(node)
  for (const { kind, since } of node.problems) {
    // During its update a node is cordoned by us, and away while it reboots: named only if it does not come back.
    if (kind === 'cordoned' && isBusy) continue
    if (kind === 'cordoned') return `cordoned by a user${sinceInWords(since)}`
    return `${kind}${sinceInWords(since)}${isBusy ? ', during its update' : ''}`
  }
  return undefined
}
