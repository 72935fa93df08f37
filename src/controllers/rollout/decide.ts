import { poolChain } from '../../fleet/rollout/checks.ts'
import type { RolloutChoice } from '../../fleet/rollout/choose.ts'
import { chooseNodes } from '../../fleet/rollout/choose.ts'
import type { RolloutFacts } from '../../fleet/rollout/facts.ts'
import type { NodeFacts, RolloutTarget } from '../../fleet/rollout/node-facts.ts'
import { isTargetedAt } from '../../fleet/rollout/node-facts.ts'
import type { RolloutSituation } from '../../fleet/rollout/situation.ts'
import { situationOf } from '../../fleet/rollout/situation.ts'
import type { RolloutRecord, Turn } from '../../fleet/rollout/turns.ts'
import { withEnded } from '../../fleet/rollout/turns.ts'
import type { NodeWrite } from './node-writes.ts'
import { nodeWrites } from './node-writes.ts'

/** The chosen nodes of a pool, and the writes for them. */
export interface RolloutPlan extends RolloutChoice {
  /** Written to the pool before any node; undefined if the pool has it already. */
  readonly record?: RolloutRecord
  readonly writes: readonly NodeWrite[]
}

/** Pure: the same facts give the same plan. */
export function decide(facts: RolloutFacts): RolloutPlan {
  const situation = situationOf(facts)
  const { target } = situation
  const choice = chooseNodes(situation)
  if (facts.isForeignTarget) return { ...choice, writes: [] }
  const record = recordAfter(situation, choice.chosen)
  const mayWrite = poolChain.evaluate(situation) === undefined
  return {
    ...choice,
    ...(record && { record }),
    writes:
      target && mayWrite
        ? nodeWrites(facts, target, new Set(choice.chosen), withdrawnIn(situation, target))
        : [],
  }
}

/** The record without ended turns and with turns for the chosen nodes; undefined if the pool has it already. */
function recordAfter(
  situation: RolloutSituation,
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

/** Nodes that already have the target as desired config, and whose turn, for another config, can still be used. */
function withdrawnIn({ open, facts }: RolloutSituation, target: RolloutTarget): Set<NodeFacts> {
  const withdrawn = facts.nodes.filter((node) => {
    const { turn, unseen } = open.get(node.name) ?? {}
    if (!turn || unseen !== 'retry' || !isTargetedAt(node, target)) return false
    return turn.config !== target.config || turn.image !== target.image
  })
  return new Set(withdrawn)
}

function turnFor(node: NodeFacts, { config, image }: RolloutTarget, at: number): Turn {
  return { config, ...(image !== undefined && { image }), from: node.version, at }
}

const isSameTurn = (a: Turn, b: Turn): boolean =>
  a.config === b.config && a.image === b.image && a.from === b.from
