import type { Decision } from './decision.ts'
import type { Facts } from './facts.ts'
import { configPolicies } from './policies-config.ts'
import { drainPolicies } from './policies-drain.ts'
import type { Said } from './policies-machine.ts'
import { machinePolicies } from './policies-machine.ts'
import { turnPolicies } from './policies-turn.ts'
import { currentOf, situationOf } from './situation.ts'

/** What to do next. Pure; the first policy with something to say decides, and its name is the explanation. */
export function decide(facts: Facts): Decision {
  for (const [policy, ask] of Object.entries(machinePolicies)) {
    const said = ask(facts)
    if (said) return named(policy, said)
  }
  const { node } = facts
  const current = node && currentOf(facts, node)
  if (!node || current === undefined || current === 'missing') {
    throw new Error('a machine policy should have decided about this')
  }
  const situation = situationOf(facts, node, current)
  const policies = { ...drainPolicies, ...turnPolicies, ...configPolicies }
  for (const [policy, ask] of Object.entries(policies)) {
    const said = ask(situation)
    if (said) return named(policy, said)
  }
  throw new Error('the last policy always decides')
}

/** The names of all policies in the order in which they are asked: for people, and for `machinist why`. */
export const policyNames: readonly string[] = [
  ...Object.keys(machinePolicies),
  ...Object.keys(drainPolicies),
  ...Object.keys(turnPolicies),
  ...Object.keys(configPolicies),
]

const named = (policy: string, said: Said): Decision => ({ policy, ...said })
