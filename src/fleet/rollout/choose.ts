import type { RolloutCandidate } from './checks.ts'
import {
  isOperatorNode,
  isStillServing,
  needsNoBudget,
  nodeChain,
  poolChain,
  roundChain,
} from './checks.ts'
import type { NodeFacts, RolloutTarget } from './node-facts.ts'
import { byZoneThenAge } from './order.ts'
import type { RolloutSituation } from './situation.ts'
import { roomIn } from './situation.ts'
import { mostTurns } from './turns.ts'

/** Which nodes get the target now. */
export interface RolloutChoice {
  readonly situation: RolloutSituation
  /** Nodes that get the target now, in order. */
  readonly chosen: readonly NodeFacts[]
  /** Nodes that wait for room in the budget, in order. */
  readonly others: readonly NodeFacts[]
  /** How many nodes could get the target: the room for healthy nodes, and all that need no budget. */
  readonly capacity: number
  /** The node of the operator, if it waits for other nodes. */
  readonly deferred?: string
}

/** Pure: the same situation gives the same choice. `explainPool` and `explainNode` give the reasons. */
export function chooseNodes(situation: RolloutSituation): RolloutChoice {
  const { target } = situation
  const candidates = target ? candidatesOf(situation, target) : []
  const passing = candidates.filter((candidate) => !nodeChain.evaluate(candidate))
  const deferred = deferredIn(candidates)
  return {
    situation,
    ...chooseFrom(passing, situation),
    ...(deferred !== undefined && { deferred }),
  }
}

export function candidatesOf(
  situation: RolloutSituation,
  target: RolloutTarget,
): RolloutCandidate[] {
  const poolRefusal = poolChain.evaluate(situation)
  const roundRefusal = roundChain.evaluate(situation)
  const all = situation.facts.nodes.map((node): RolloutCandidate => ({
    node,
    target,
    situation,
    poolRefusal,
    roundRefusal,
    othersCanGo: false,
  }))
  const own = all.findIndex(isOperatorNode)
  if (own < 0) return all
  const othersCanGo = all.some((each, i) => i !== own && !nodeChain.evaluate(each))
  return othersCanGo ? all.with(own, { ...all[own]!, othersCanGo }) : all
}

/** Nodes that need no budget first; then by zone and age, as many as there is room for. */
function chooseFrom(
  passing: readonly RolloutCandidate[],
  situation: RolloutSituation,
): Pick<RolloutChoice, 'chosen' | 'others' | 'capacity'> {
  const free = passing.filter(needsNoBudget).map(({ node }) => node)
  const costly = passing.filter((candidate) => !needsNoBudget(candidate)).map(({ node }) => node)
  const isServing = (node: NodeFacts): boolean => isStillServing(node, situation)
  const broken = costly.filter(isServing).sort(byZoneThenAge)
  const healthy = costly.filter((node) => !isServing(node)).sort(byZoneThenAge)
  const repairs = Math.min(broken.length, repairRoomIn(situation))
  const room = roundChain.evaluate(situation) ? 0 : roomIn(situation)
  const updates = Math.min(room, Math.max(0, mostTurns - situation.open.size))
  return {
    chosen: [
      ...free.sort(byZoneThenAge),
      ...broken.slice(0, repairs),
      ...healthy.slice(0, updates),
    ],
    others: [...broken.slice(repairs), ...healthy.slice(updates)],
    capacity: free.length + repairs + room,
  }
}

/** Broken nodes that still serve count against the budget, but not against each other's repair: else none could be repaired. */
function repairRoomIn({ budget, disrupted, facts, open }: RolloutSituation): number {
  if ('problem' in budget || facts.waitReason !== undefined) return 0
  const serving = facts.nodes.filter((node) => isStillServing(node, { open }))
  return Math.max(0, budget.nodes - (disrupted.size - serving.length))
}

function deferredIn(candidates: readonly RolloutCandidate[]): string | undefined {
  const own = candidates.find(isOperatorNode)
  if (!own?.othersCanGo) return undefined
  const isLast = nodeChain.evaluate(own)?.check === nodeChain.checks.at(-1)!.name
  return isLast ? own.node.name : undefined
}
