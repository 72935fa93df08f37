import type { Condition } from '@machinist/core/objects/resource'
import type { Drift } from '../../api/drift-reason.ts'
import { drainReasons } from '../../api/reasons.ts'
import type { RolloutFacts } from './facts.ts'
import type { NodeFacts, RolloutTarget } from './node-facts.ts'
import { isDegraded, isDone, isTargetedAt } from './node-facts.ts'
import { shortened, formatSince } from './wording.ts'

/** A node that blocks the rollout of its pool, and why. */
export interface RolloutBlocker {
  readonly node: string
  readonly because: string
}

/** Nodes that make no progress without help. A node that is busy with its update is not one. */
export function rolloutBlockers(
  { nodes, blockedDrains, now, driftedSince }: RolloutFacts,
  target: RolloutTarget,
  drifted: ReadonlyMap<string, Drift> = new Map(),
): RolloutBlocker[] {
  const blockers: RolloutBlocker[] = []
  for (const node of nodes) {
    if (msUntilOverdue(node, now) > 0) continue
    const drift = drifted.get(node.name)
    const because = drift
      ? formatDrift(drift, driftedSince?.get(node.name))
      : blockReasonOf(node, target, blockedDrains.get(node.name))
    if (because !== undefined) blockers.push({ node: node.name, because })
  }
  return blockers
}

/** Why the Drained condition reports a blocked drain; undefined for a drain in progress or about to begin. */
export function drainBlockReason(drained: Condition | undefined): string | undefined {
  if (drained?.status !== 'Unknown' || drained.reason === drainReasons.draining) return undefined
  return drained.message || undefined
}

/** The time until a node becomes a blocker without any further change. */
export function msUntilBlocked({
  nodes,
  now,
}: Pick<RolloutFacts, 'nodes' | 'now'>): number | undefined {
  const waits = nodes.map((node) => msUntilOverdue(node, now)).filter((ms) => ms > 0)
  return waits.length === 0 ? undefined : Math.min(...waits)
}

/** How long a reboot may take before the node is reported as a blocker. */
const rebootMs = 10 * 60_000

/** The rest of the time for a reboot; 0 if the node is not away, or for too long. */
function msUntilOverdue(node: NodeFacts, now: number): number {
  if (isDegraded(node) || isDone(node)) return 0
  const since = node.problems.find(({ kind }) => kind === 'NotReady')?.since
  const left = since === undefined ? 0 : Date.parse(since) + rebootMs - now
  return Number.isNaN(left) ? 0 : Math.min(Math.max(left, 0), rebootMs)
}

const formatDrift = ({ config, differences }: Drift, since: string | undefined): string =>
  `has drifted from ${config}${formatSince(since)}: ${shortened(differences)}`

function blockReasonOf(
  node: NodeFacts,
  target: RolloutTarget,
  drain: string | undefined,
): string | undefined {
  if (isDegraded(node)) {
    const config = isTargetedAt(node, target) ? target.config : (node.desired ?? 'its config')
    const why = node.reason === undefined ? 'its daemon reports no reason' : shortened(node.reason)
    return `cannot apply ${config}: ${why}`
  }
  if (node.draining) return drain === undefined ? undefined : `drain blocked: ${shortened(drain)}`
  if (node.current === undefined) return 'has not reported a config yet'
  const isBusy = !isDone(node)
  for (const { kind, since } of node.problems) {
    // The drain controller cordons a node during its update, and a reboot makes it NotReady for a while.
    if (kind === 'cordoned' && isBusy) continue
    if (kind === 'cordoned') return `cordoned by a user${formatSince(since)}`
    return `${kind}${formatSince(since)}${isBusy ? ', during its update' : ''}`
  }
  return undefined
}
