import type { RolloutFacts } from '../../fleet/rollout/facts.ts'
import type { NodeWrite } from './node-writes.ts'
import { nodeWrites } from './node-writes.ts'
import type { NodeFacts, Target } from '../../fleet/rollout/node-facts.ts'
import { isDegraded, isToldTo } from '../../fleet/rollout/node-facts.ts'
import { byZoneThenAge } from '../../fleet/pools/order.ts'
import type { Candidate } from '../../fleet/rollout/policies.ts'
import {
  failureOf,
  isFree,
  isOperatorsOwn,
  isStillServing,
  nodePolicies,
  poolPolicies,
  roundPolicies,
} from '../../fleet/rollout/policies.ts'
import type { Policy, Verdict } from '../../fleet/rollout/policy.ts'
import { explained, firstFailure } from '../../fleet/rollout/policy.ts'
import type { Situation } from '../../fleet/rollout/situation.ts'
import { roomIn, situationOf } from '../../fleet/rollout/situation.ts'
import type { RolloutRecord, Turn } from '../../fleet/rollout/turns.ts'
import { mostTurns, withEnded } from '../../fleet/rollout/turns.ts'

/** What is to be done about a pool now. */
export interface RolloutPlan {
  readonly situation: Situation
  /** Who is told, in order. */
  readonly chosen: readonly NodeFacts[]
  /** Who could be told if there were room, in order. */
  readonly others: readonly NodeFacts[]
  /** How many could have been told: the room for healthy nodes, and everything that needs none. */
  readonly capacity: number
  /** The operator's own node, where it steps back for others. */
  readonly deferred?: string
  /** To be on the pool before any node is written; undefined when it is there already. */
  readonly record?: RolloutRecord
  readonly writes: readonly NodeWrite[]
}

/** Pure: the same facts give the same plan. `explainPool` and `explainNode` tell why. */
export function decide(facts: RolloutFacts): RolloutPlan {
  const situation = situationOf(facts)
  const { target } = situation
  const asking = target ? candidatesOf(situation, target) : []
  const able = asking.filter((candidate) => !firstFailure(nodePolicies, candidate))
  const { chosen, others, capacity } = chooseFrom(able, situation)
  const deferred = deferredIn(asking)
  const record = recordAfter(situation, chosen)
  const mayWrite = failureOf(poolPolicies, situation) === undefined
  return {
    situation,
    chosen,
    others,
    capacity,
    ...(deferred !== undefined && { deferred }),
    ...(record && { record }),
    writes:
      target && mayWrite
        ? nodeWrites(facts, target, new Set(chosen), withdrawnIn(situation, target))
        : [],
  }
}

/** Why the pool does or does not go on: every policy up to the first that fails. */
export function explainPool({ situation }: RolloutPlan): Verdict[] {
  return explained([...poolPolicies, ...roundPolicies], situation)
}

/** Why a node is or is not told now. Nothing about a node that is not in the pool. */
export function explainNode(plan: RolloutPlan, name: string): Verdict[] {
  const { situation } = plan
  const { target, facts } = situation
  const node = facts.nodes.find((each) => each.name === name)
  if (!node) return []
  if (!target) return explained(poolPolicies, situation)
  const candidate = candidatesOf(situation, target).find((each) => each.node === node)!
  return explained([...nodePolicies, nextInLine(plan)], candidate)
}

/** Zone after zone, oldest first, as many as there is room for; what costs nothing before everything else. */
function chooseFrom(
  able: readonly Candidate[],
  situation: Situation,
): Pick<RolloutPlan, 'chosen' | 'others' | 'capacity'> {
  const free = able.filter(isFree).map(({ node }) => node)
  const costly = able.filter((candidate) => !isFree(candidate)).map(({ node }) => node)
  const serves = (node: NodeFacts): boolean => isStillServing(node, situation)
  const broken = costly.filter(serves).sort(byZoneThenAge)
  const line = costly.filter((node) => !serves(node)).sort(byZoneThenAge)
  const repairs = Math.min(broken.length, repairRoomIn(situation))
  const room = failureOf(roundPolicies, situation) ? 0 : roomIn(situation)
  const takes = Math.min(room, Math.max(0, mostTurns - situation.open.size))
  return {
    chosen: [...free.sort(byZoneThenAge), ...broken.slice(0, repairs), ...line.slice(0, takes)],
    others: [...broken.slice(repairs), ...line.slice(takes)],
    capacity: free.length + repairs + room,
  }
}

/** Broken nodes that still serve spend the budget, but not on each other: else none of them could ever be repaired. */
function repairRoomIn({ budget, disrupted, facts, open }: Situation): number {
  if ('problem' in budget || facts.behind !== undefined) return 0
  const serving = facts.nodes.filter((node) => isStillServing(node, { open }))
  return Math.max(0, budget.nodes - (disrupted.size - serving.length))
}

function candidatesOf(situation: Situation, target: Target): Candidate[] {
  const poolFailure = failureOf(poolPolicies, situation)
  const roundFailure = failureOf(roundPolicies, situation)
  const all = situation.facts.nodes.map((node): Candidate => ({
    node,
    target,
    situation,
    poolFailure,
    roundFailure,
    othersCanGo: false,
  }))
  const own = all.findIndex(isOperatorsOwn)
  if (own < 0) return all
  const othersCanGo = all.some((each, i) => i !== own && !firstFailure(nodePolicies, each))
  return othersCanGo ? all.with(own, { ...all[own]!, othersCanGo }) : all
}

function deferredIn(asking: readonly Candidate[]): string | undefined {
  const own = asking.find(isOperatorsOwn)
  if (!own?.othersCanGo) return undefined
  return firstFailure(nodePolicies, own) === nodePolicies.at(-1) ? own.node.name : undefined
}

/** Turns that are over go, those of the chosen come; undefined when the pool says so already. */
function recordAfter(
  situation: Situation,
  chosen: readonly NodeFacts[],
): RolloutRecord | undefined {
  const { open, record, target, ended, facts } = situation
  const turns = new Map<string, Turn>(Array.from(open, ([name, { turn }]) => [name, turn]))
  for (const node of chosen) {
    const had = turns.get(node.name)
    const turn = turnFor(node, target!, facts.now)
    if (!had || !isSameTurn(had, turn)) turns.set(node.name, turn)
  }
  const isSame =
    turns.size === record.turns.size &&
    Array.from(turns).every(([name, turn]) => record.turns.get(name) === turn)
  return isSame ? undefined : withEnded(record, turns, ended, facts.now)
}

/** Nodes that already have the target as desired config, and whose turn, for another config, can still be told. */
function withdrawnIn({ open, facts }: Situation, target: Target): Set<NodeFacts> {
  const withdrawn = facts.nodes.filter((node) => {
    const { turn, unseen } = open.get(node.name) ?? {}
    if (!turn || unseen !== 'retry' || !isToldTo(node, target)) return false
    return turn.config !== target.config || turn.image !== target.image
  })
  return new Set(withdrawn)
}

function turnFor(node: NodeFacts, { config, image }: Target, at: number): Turn {
  return { config, ...(image !== undefined && { image }), from: node.version, at }
}

const isSameTurn = (a: Turn, b: Turn): boolean =>
  a.config === b.config && a.image === b.image && a.from === b.from

function nextInLine({ chosen, others }: RolloutPlan): Policy<Candidate> {
  return {
    name: 'it is next in line',
    holds: ({ node }) => chosen.includes(node),
    because: ({ node }, holds) => {
      if (holds) return isDegraded(node) ? 'it is repaired now' : 'it is told now'
      return `${others.indexOf(node)} others that wait are before it, by zone and age`
    },
  }
}
