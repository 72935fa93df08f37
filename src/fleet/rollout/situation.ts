import { ownPoolAnnotations } from '../../api/annotations.ts'
import type { Drift } from '../../api/drift-reason.ts'
import { driftIn } from '../../api/drift-reason.ts'
import type { PoolBudget } from '../pools/budget.ts'
import { budgetOf } from '../pools/budget.ts'
import type { RolloutFacts } from './facts.ts'
import type { NodeFacts, RolloutTarget } from './node-facts.ts'
import {
  isDegraded,
  isDisrupted,
  isDoneAt,
  isReady,
  isTargetedAt,
  isUnavailable,
} from './node-facts.ts'
import type { RolloutRecord, Turn } from './turns.ts'
import { parseRecord, turnState } from './turns.ts'

/** The facts of a pool, with everything that several checks derive from them. */
export interface RolloutSituation {
  readonly facts: RolloutFacts
  readonly target: RolloutTarget | undefined
  readonly budget: PoolBudget
  readonly record: RolloutRecord
  /** Turns that count: desiredConfig was set on their nodes, or may have been. */
  readonly open: ReadonlyMap<string, OpenTurn>
  /** Turns that ended with an updated node, for the durations. */
  readonly ended: readonly Turn[]
  /** Nodes that count against the budget: out of service, being updated, failed, or with an open turn. */
  readonly disrupted: ReadonlySet<string>
  /** Nodes whose disk was changed before or after their update: they did not fail to apply the target. */
  readonly drifted: ReadonlyMap<string, Drift>
  /** Nodes that failed to apply the target. */
  readonly failed: readonly NodeFacts[]
  /** At this number of failed nodes no healthy node is updated. */
  readonly stopAfter: number
  readonly counts: NodeCounts
}

export interface OpenTurn {
  readonly turn: Turn
  /** The cache does not show yet whether desiredConfig was set. */
  readonly unseen?: 'retry' | 'wait'
}

export interface NodeCounts {
  readonly machine: number
  readonly updated: number
  readonly ready: number
  readonly unavailable: number
  readonly degraded: number
}

export function situationOf(facts: RolloutFacts): RolloutSituation {
  const { pool, nodes } = facts
  const target = targetOf(facts)
  const budget = budgetOf({
    pool: pool.metadata.name,
    maxUnavailable: pool.spec.maxUnavailable,
    size: nodes.length,
    allowWholePool: pool.metadata.annotations?.[ownPoolAnnotations.allowWholePool],
  })
  const record = parseRecord(pool.metadata.annotations?.[ownPoolAnnotations.rollout])
  const { open, ended } = turnsIn(record, facts)
  const disrupted = new Set(open.keys())
  for (const node of nodes) if (isDisrupted(node)) disrupted.add(node.name)
  const drifted = driftedIn(nodes, open)
  const failed = target ? nodes.filter((node) => isFailed(node, target, drifted)) : []
  const stopAfter = failureLimitOf(facts, budget)
  const counts = countsOf(nodes, target)
  return {
    facts,
    target,
    budget,
    record,
    open,
    ended,
    disrupted,
    drifted,
    failed,
    stopAfter,
    counts,
  }
}

export function isAllUpdated({ counts, target, facts }: RolloutSituation): boolean {
  if (!target || facts.selectorProblem !== undefined) return false
  const { machine, updated, ready, unavailable } = counts
  return updated === machine && ready === machine && unavailable === 0
}

/** How many healthy nodes may be updated now. */
export function roomIn({ budget, disrupted }: RolloutSituation): number {
  return 'problem' in budget ? 0 : Math.max(0, budget.nodes - disrupted.size)
}

function turnsIn({ turns }: RolloutRecord, { nodes, left, restored }: RolloutFacts) {
  const open = new Map<string, OpenTurn>()
  const ended: Turn[] = []
  if (turns.size === 0) return { open, ended }
  const seen = new Map(nodes.map((node) => [node.name, node]))
  for (const [name, turn] of turns) {
    const node = seen.get(name)
    // desiredConfig may have been set on a node that is not in the cache, unless the node has left the pool.
    const state = node ? turnState(turn, node) : ({ type: 'given', retry: false } as const)
    if ((!node && left.has(name)) || restored?.has(name)) continue
    if (state.type === 'given') open.set(name, { turn, unseen: state.retry ? 'retry' : 'wait' })
    if (state.type === 'taken') open.set(name, { turn })
    if (state.type === 'over') ended.push(turn)
  }
  return { open, ended }
}

function countsOf(nodes: readonly NodeFacts[], target: RolloutTarget | undefined): NodeCounts {
  const counts = { machine: nodes.length, updated: 0, ready: 0, unavailable: 0, degraded: 0 }
  for (const node of nodes) {
    if (isUnavailable(node)) counts.unavailable += 1
    if (isDegraded(node)) counts.degraded += 1
    if (!target || !isDoneAt(node, target)) continue
    counts.updated += 1
    if (isReady(node)) counts.ready += 1
  }
  return counts
}

export function targetOf({
  pool,
  image,
}: Pick<RolloutFacts, 'pool' | 'image'>): RolloutTarget | undefined {
  const config = pool.spec.configuration?.name
  if (!config) return undefined
  if (image.type === 'not layered') return { config, layered: false }
  return { config, layered: true, ...(image.type === 'built' && { image: image.image }) }
}

/** A node with an open turn that differs from the config of that turn has failed, not drifted. */
function driftedIn(
  nodes: readonly NodeFacts[],
  open: ReadonlyMap<string, OpenTurn>,
): Map<string, Drift> {
  const drifted = new Map<string, Drift>()
  for (const node of nodes) {
    const drift = isDegraded(node) ? driftIn(node.reason) : undefined
    if (drift && !(open.has(node.name) && drift.config === node.desired)) {
      drifted.set(node.name, drift)
    }
  }
  return drifted
}

const isFailed = (
  node: NodeFacts,
  target: RolloutTarget,
  drifted: ReadonlyMap<string, Drift>,
): boolean => isDegraded(node) && isTargetedAt(node, target) && !drifted.has(node.name)

/** The budget, or less if the pool's annotation sets a lower limit. More nodes than the budget cannot fail at once. */
function failureLimitOf({ pool }: RolloutFacts, budget: PoolBudget): number {
  const nodes = 'problem' in budget ? 1 : budget.nodes
  const requested = pool.metadata.annotations?.[ownPoolAnnotations.stopAfterFailures]
  if (requested === undefined || !/^[1-9]\d{0,8}$/.test(requested)) return nodes
  return Math.min(Number(requested), nodes)
}
