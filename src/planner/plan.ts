import { actionsOf, requestedActionsOf } from './actions/actions.ts'
import type { RequestedActions } from './actions/requested.ts'
import { changesOf } from './changes/changes.ts'
import { withConsequences } from './changes/consequences.ts'
import { sizeReasons } from './differences/contents.ts'
import type { Differences } from './differences/differences.ts'
import { differencesOf } from './differences/differences.ts'
import { decideDrain } from './actions/drain.ts'
import { notesOf } from './changes/notes.ts'
import { withOrigins } from './provenance/origins.ts'
import type { PlanInput } from './model/plan-input.ts'
import type { ReadConfig } from './differences/read-config.ts'
import { readConfig } from './differences/read-config.ts'
import { machineReasons, reasonsAgainst } from './reconcilable/reconcilable.ts'
import { stepsOf } from './steps/steps.ts'
import type { UpdatePlan } from './model/update-plan.ts'

/**
 * Plans the update of a node from one config to another, with the reasons. Deterministic; an invalid config gives a plan that is
 * not reconcilable.
 */
export function plan(input: PlanInput): UpdatePlan {
  const desired = readConfig(input.desired, 'new')
  const current = readConfig(input.current, 'old')
  const [before, after] = [startingPoint(current.config, input), desired.config]
  const names = { from: before.name, to: after.name }
  const differences = differencesOf(before, after)
  const invalid = [...current.problems, ...desired.problems, ...sizeReasons(after.ignition)]
  if (invalid.length > 0) {
    const reasons = [...invalid, ...machineReasons(before, after, differences, input)]
    return { ...names, ...notReconcilable(reasons), changes: [] }
  }
  const changes = changesOf(differences, input)
  const reasons = reasonsAgainst(before, after, differences, input)
  if (reasons.length > 0) return { ...names, ...notReconcilable(reasons), changes }
  const requested = requestedActionsOf(differences, input)
  return {
    ...names,
    reconcilable: true,
    reasons,
    changes: withConsequences(changes, requested),
    ...effectsOf(before, after, differences, withOrigins(requested, changes, input), input),
  }
}

function effectsOf(
  before: ReadConfig,
  after: ReadConfig,
  differences: Differences,
  requested: readonly RequestedActions[],
  input: PlanInput,
): Pick<UpdatePlan, 'actions' | 'drain' | 'drainRule' | 'reboot' | 'steps' | 'notes'> {
  const actions = actionsOf(requested, input.rules, input.facts)
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

function notReconcilable(
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
    drainRule: 'the change cannot be applied',
    reboot: false,
    steps: [],
  }
}

/** A node without a config has the FIPS mode of its installation. */
function startingPoint(before: ReadConfig, { current, facts }: PlanInput): ReadConfig {
  return current === undefined && facts.fips !== undefined
    ? { ...before, fips: facts.fips }
    : before
}
