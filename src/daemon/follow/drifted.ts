import { nodeStates } from '../../api/annotations.ts'
import { driftReason } from '../../api/drift-reason.ts'
import { nodePaths } from '../../api/node-paths.ts'
import type { MachineConfig } from '../../api/resources.ts'
import { nodeEvents } from '../../api/reasons.ts'
import { provenanceOf } from '../../planner/provenance.ts'
import type { DriftPolicy } from '../drift/drift-policy.ts'
import { healPlan } from '../drift/heal-plan.ts'
import { inWords } from '../drift/in-words.ts'
import { isOfOs } from '../verify/difference.ts'
import type { Checked } from './facts.ts'
import type { Said } from './policies-machine.ts'
import type { Situation } from './situation.ts'
import { layered, plannersFacts } from './update-to.ts'

/* A disk that is not as its config says: what is said and done about it. */

export function drifted(situation: Situation): Said {
  const { facts, current, currentName, inDesired } = situation
  const { differences } = facts.checked as Checked
  const cause = differences.some(isOfOs) ? rootCause(facts.finalizationFailure) : ''
  const found = inWords(differences, current && provenanceOf(current))
  const reason = driftReason(currentName, `${found}${cause}. ${adviceFor(facts.drift)}`)
  const event = !facts.settled
    ? nodeEvents.onDiskStateValidationFailed
    : inDesired
      ? nodeEvents.configDriftDetected
      : nodeEvents.preflightConfigDriftCheckFailed
  return {
    why: reason,
    next: { do: 'degrade', event },
    report: { state: nodeStates.degraded, reason },
  }
}

function adviceFor(drift: DriftPolicy): string {
  const rewrite = `touch ${nodePaths.force} on the node to rewrite it with a drain and a reboot`
  return drift === 'block'
    ? 'Restore it: updates are blocked until then'
    : `Restore it, or ${rewrite}: no update begins until then`
}

/** What it takes to put it right, if that is little. */
export function healing(situation: Situation, current: MachineConfig): Said | undefined {
  const { facts, currentImage } = situation
  const { checked, delivery } = facts
  const rules = { rules: facts.rules.rules, ...(delivery && { delivery }) }
  if (!checked || checked.afterUpdate) return undefined
  const config = layered(current, currentImage)
  const plan = healPlan(config, checked.differences, rules, plannersFacts(situation))
  if (!plan) return undefined
  const update = {
    plan,
    current: config,
    desired: config,
    ...(currentImage !== undefined && { desiredImage: currentImage }),
  }
  return {
    why: `what differs is written anew: ${inWords(checked.differences)}`,
    next: { do: 'update', update, healing: true },
    report: { state: nodeStates.working },
  }
}

/**
 * The OS of the current config did not boot, nothing else is wrong, and another config is wanted: mostly the one of before.
 * Nobody has to come and touch the force file for that.
 */
export function leavesWhatDidNotBoot({ facts, inDesired }: Situation): boolean {
  const { checked, finalizationFailure, drift } = facts
  if (inDesired || finalizationFailure === undefined || drift === 'block') return false
  return checked?.differences.every(isOfOs) ?? false
}

const rootCause = (failure: string | undefined): string =>
  failure === undefined ? '' : `; possible root cause: ${failure.slice(0, 200)}`
