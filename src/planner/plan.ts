import { actionsOf, askedFor } from './actions.ts'
import type { Asked } from './asked.ts'
import { changesOf } from './changes.ts'
import { withConsequences } from './consequences.ts'
import { sizeReasons } from './contents.ts'
import type { Differences } from './differences.ts'
import { differencesOf } from './differences.ts'
import { decideDrain } from './drain.ts'
import { notesOf } from './notes.ts'
import { withOrigins } from './origins.ts'
import type { PlanInput } from './plan-input.ts'
import type { ReadConfig } from './read-config.ts'
import { readConfig } from './read-config.ts'
import { machineReasons, reasonsAgainst } from './reconcilable.ts'
import { stepsOf } from './steps.ts'
import type { UpdatePlan } from './update-plan.ts'

/**
 * What an update from one config to another does to a node, and why. The same input gives the same plan, to the letter; a
 * config that cannot be used gives a plan that says so.
 */
export function plan(input: PlanInput): UpdatePlan {
  const desired = readConfig(input.desired, 'new')
  const current = readConfig(input.current, 'old')
  const [before, after] = [startingPoint(current.config, input), desired.config]
  const names = { from: before.name, to: after.name }
  const differences = differencesOf(before, after)
  const unusable = [...current.problems, ...desired.problems, ...sizeReasons(after.ignition)]
  if (unusable.length > 0) {
    const reasons = [...unusable, ...machineReasons(before, after, differences, input)]
    return { ...names, ...refused(reasons), changes: [] }
  }
  const changes = changesOf(differences, input)
  const reasons = reasonsAgainst(before, after, differences, input)
  if (reasons.length > 0) return { ...names, ...refused(reasons), changes }
  const asked = askedFor(differences, input)
  return {
    ...names,
    reconcilable: true,
    reasons,
    changes: withConsequences(changes, asked),
    ...doing(before, after, differences, withOrigins(asked, changes, input), input),
  }
}

function doing(
  before: ReadConfig,
  after: ReadConfig,
  differences: Differences,
  asked: readonly Asked[],
  input: PlanInput,
): Pick<UpdatePlan, 'actions' | 'drain' | 'drainRule' | 'reboot' | 'steps' | 'notes'> {
  const actions = actionsOf(asked, input.rules, input.facts)
  const { drain, rule } = decideDrain(actions, differences, input)
  const notes = notesOf(before.ignition, after.ignition, input.overrides)
  return {
    actions,
    drain,
    drainRule: rule,
    reboot: actions.some(({ type }) => type === 'Reboot'),
    steps: stepsOf(before, after, differences, { drain, actions }, input),
    ...(notes.length > 0 && { notes }),
  }
}

function refused(
  reasons: readonly string[],
): Pick<
  UpdatePlan,
  'reconcilable' | 'reasons' | 'actions' | 'drain' | 'drainRule' | 'reboot' | 'steps'
> {
  return {
    reconcilable: false,
    reasons: [...new Set(reasons)],
    actions: [],
    drain: false,
    drainRule: 'nothing is done, because the change cannot be applied',
    reboot: false,
    steps: [],
  }
}

/** A node without a config is in the FIPS mode that it was installed with. */
function startingPoint(before: ReadConfig, { current, facts }: PlanInput): ReadConfig {
  return current === undefined && facts.fips !== undefined
    ? { ...before, fips: facts.fips }
    : before
}
