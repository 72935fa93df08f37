import type { Verdict } from '@machinist/kube/controller/decision-chain'
import type { RolloutCandidate, RolloutCheck } from './checks.ts'
import { nodeChain, poolChain, rolloutChain, rolloutCheck, wholePoolChain } from './checks.ts'
import type { RolloutChoice } from './choose.ts'
import { candidatesOf } from './choose.ts'
import { isDegraded } from './node-facts.ts'

/** Why the rollout of a pool proceeds or not: every check up to the first that fails. */
export const explainPool = ({ situation }: RolloutChoice): Verdict[] =>
  wholePoolChain.explain(situation)

/** Why a node gets the target now or not. Empty for a node that is not in the pool. */
export function explainNode(choice: RolloutChoice, name: string): Verdict[] {
  const { situation } = choice
  const { target, facts } = situation
  const node = facts.nodes.find((each) => each.name === name)
  if (!node) return []
  if (!target) return poolChain.explain(situation)
  const candidate = candidatesOf(situation, target).find((each) => each.node === node)!
  return rolloutChain([...nodeChain.checks, nextInOrder(choice)]).explain(candidate)
}

function nextInOrder({ chosen, others }: RolloutChoice): RolloutCheck<RolloutCandidate> {
  return rolloutCheck({
    name: 'the node is next in order',
    holds: ({ node }) => chosen.includes(node),
    fails: ({ node }) => `${others.indexOf(node)} other nodes come first, by zone and age`,
    passes: ({ node }) =>
      isDegraded(node) ? 'the node is repaired now' : 'the node is updated now',
  })
}
