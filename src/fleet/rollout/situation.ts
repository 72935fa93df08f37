import { ownPoolAnnotations } from '../../api/annotations.ts'
import type { Drift } from '../../api/drift-reason.ts'
import { driftIn } from '../../api/drift-reason.ts'
import type { Budget } from '../pools/budget.ts'
import { budgetOf } from '../pools/budget.ts'
import type { RolloutFacts } from './facts.ts'
import type { NodeFacts, Target } from './node-facts.ts'
import {
  isDegraded,
  isDisrupted,
  isDoneAt,
  isReady,
  isToldTo,
  isUnavailable,
} from './node-facts.ts'
import type { RolloutRecord, Turn } from './turns.ts'
import { parseRecord, turnState } from './turns.ts'

/** The facts of a pool, counted once. */
export interface Situation {
  readonly facts: RolloutFacts
  readonly target: Target | undefined
  readonly budget: Budget
  readonly record: RolloutRecord
  /** Turns that count: nodes that were told, or may have been. */
  readonly open: ReadonlyMap<string, OpenTurn>
  /** Turns that ended well, for the durations. */
  readonly ended: readonly Turn[]
  /** Nodes out of service, on their way, failed, or maybe told: what the budget is spent on. */
  readonly disrupted: ReadonlySet<string>
  /** Nodes whose disk was changed after, or before, their update: they did not fail the target. */
  readonly drifted: ReadonlyMap<string, Drift>
  /** Nodes that failed in the target itself. */
  readonly failed: readonly NodeFacts[]
  /** After so many of them no healthy node is told. */
  readonly stopAfter: number
  readonly counts: Counts
}

export interface OpenTurn {
  readonly turn: Turn
  /** Not seen whether the node was told. */
  readonly unseen?: 'retry' | 'wait'
}

export interface Counts {
  readonly machine: number
  readonly updated: number
  readonly ready: number
  readonly unavailable: number
  readonly degraded: number
}

export function situationOf(facts: RolloutFacts): Situation {
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
  const stopAfter = limitOf(facts, budget)
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

export function isAllUpdated({ counts, target, facts }: Situation): boolean {
  if (!target || facts.selectorProblem !== undefined) return false
  const { machine, updated, ready, unavailable } = counts
  return updated === machine && ready === machine && unavailable === 0
}

/** How many healthy nodes may be told now. */
export function roomIn({ budget, disrupted }: Situation): number {
  return 'problem' in budget ? 0 : Math.max(0, budget.nodes - disrupted.size)
}

function turnsIn({ turns }: RolloutRecord, { nodes, left, restored }: RolloutFacts) {
  const open = new Map<string, OpenTurn>()
  const ended: Turn[] = []
  if (turns.size === 0) return { open, ended }
  const seen = new Map(nodes.map((node) => [node.name, node]))
  for (const [name, turn] of turns) {
    const node = seen.get(name)
    // Of a node that is not in the picture nobody knows whether it was told, unless it is known to have left.
    const state = node ? turnState(turn, node) : ({ is: 'given', retry: false } as const)
    if ((!node && left.has(name)) || restored?.has(name)) continue
    if (state.is === 'given') open.set(name, { turn, unseen: state.retry ? 'retry' : 'wait' })
    if (state.is === 'taken') open.set(name, { turn })
    if (state.is === 'over') ended.push(turn)
  }
  return { open, ended }
}

function countsOf(nodes: readonly NodeFacts[], target: Target | undefined): Counts {
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
}: Pick<RolloutFacts, 'pool' | 'image'>): Target | undefined {
  const config = pool.spec.configuration?.name
  if (!config) return undefined
  if (image.is === 'not layered') return { config, layered: false }
  return { config, layered: true, ...(image.is === 'built' && { image: image.image }) }
}

/** A node that has yet to end its turn and differs from what that turn is about has failed, not drifted. */
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

const isFailed = (node: NodeFacts, target: Target, drifted: ReadonlyMap<string, Drift>): boolean =>
  isDegraded(node) && isToldTo(node, target) && !drifted.has(node.name)

/** The budget, unless the pool asks for less patience. More than the budget cannot fail at once. */
function limitOf({ pool }: RolloutFacts, budget: Budget): number {
  const nodes = 'problem' in budget ? 1 : budget.nodes
  const asked = pool.metadata.annotations?.[ownPoolAnnotations.stopAfterFailures]
  if (asked === undefined || !/^[1-9]\d{0,8}$/.test(asked)) return nodes
  return Math.min(Number(asked), nodes)
}
