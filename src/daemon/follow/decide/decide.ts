import { DecisionChain } from '@machinist/kube/controller/decision-chain'
import type { Decided } from '@machinist/kube/controller/decision-chain'
import type { FollowFacts } from '../facts/facts.ts'
import type { NodeSituation } from '../facts/situation.ts'
import { currentConfigOf, situationOf } from '../facts/situation.ts'
import { configChecks } from './checks-config.ts'
import { drainChecks } from './checks-drain.ts'
import { machineChecks } from './checks-machine.ts'
import { turnChecks } from './checks-turn.ts'
import type { CheckResult, FollowDecision } from './decision.ts'

const because = ({ why }: CheckResult): string => why
const machineChain = DecisionChain.of<FollowFacts, CheckResult>(machineChecks, because)
/** Evaluated after the machine chain, when the current and the desired config are known. */
const configChain = DecisionChain.of<NodeSituation, CheckResult>(
  { ...drainChecks, ...turnChecks, ...configChecks },
  because,
)

/** Decides what the daemon does next. Pure. */
export function decide(facts: FollowFacts): FollowDecision {
  const early = machineChain.evaluate(facts)
  if (early) return decisionOf(early)
  const { node } = facts
  const current = node && currentConfigOf(facts, node)
  if (!node || current === undefined || current === 'missing') {
    throw new Error('no machine check decided, although the Node or its current config is missing')
  }
  const decided = configChain.evaluate(situationOf(facts, node, current))
  if (!decided) throw new Error('no check decided, although the last one always does')
  return decisionOf(decided)
}

/** The names of all checks in the order in which they are evaluated. */
export const checkNames: readonly string[] = [...machineChain.names, ...configChain.names]

const decisionOf = ({ check, result }: Decided<CheckResult>): FollowDecision => ({
  check,
  ...result,
})
