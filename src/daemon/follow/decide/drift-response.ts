import { nodeStates } from '../../../api/annotations.ts'
import { driftReason } from '../../../api/drift-reason.ts'
import { nodePaths } from '../../../api/node-paths.ts'
import type { MachineConfig } from '../../../api/kinds/resources.ts'
import { nodeEvents } from '../../../api/reasons.ts'
import { provenanceOf } from '../../../planner/provenance/provenance.ts'
import type { DriftPolicy } from '../../drift/drift-policy.ts'
import { healPlan } from '../../drift/heal-plan.ts'
import { describeDifferences } from '../../drift/describe-differences.ts'
import { isOsDifference } from '../../verify/difference.ts'
import type { CheckedDisk } from '../facts/facts.ts'
import type { NodeSituation } from '../facts/situation.ts'
import type { CheckResult } from './decision.ts'
import { withImage, planFacts } from './plan-update.ts'

/** Reports the differences between the disk and its config. */
export function reportDrift(situation: NodeSituation): CheckResult {
  const { facts, current, currentName, inDesired } = situation
  const { differences } = facts.checked as CheckedDisk
  const cause = differences.some(isOsDifference) ? rootCause(facts.finalizationFailure) : ''
  const found = describeDifferences(differences, current && provenanceOf(current))
  const reason = driftReason(currentName, `${found}${cause}. ${adviceFor(facts.drift)}`)
  const event = !facts.settled
    ? nodeEvents.onDiskStateValidationFailed
    : inDesired
      ? nodeEvents.configDriftDetected
      : nodeEvents.preflightConfigDriftCheckFailed
  return {
    why: reason,
    next: { action: 'degrade', event },
    report: { state: nodeStates.degraded, reason },
  }
}

function adviceFor(drift: DriftPolicy): string {
  const rewrite = `touch ${nodePaths.force} on the node to rewrite it with a drain and a reboot`
  return drift === 'block'
    ? 'Restore the disk: updates are blocked until then'
    : `Restore the disk, or ${rewrite}: no update begins until then`
}

/** Rewrites what differs, if that needs neither a drain nor a reboot. */
export function healDrift(
  situation: NodeSituation,
  current: MachineConfig,
): CheckResult | undefined {
  const { facts, currentImage } = situation
  const { checked, delivery } = facts
  const rules = { rules: facts.rules.rules, ...(delivery && { delivery }) }
  if (!checked || checked.afterUpdate) return undefined
  const config = withImage(current, currentImage)
  const plan = healPlan(config, checked.differences, rules, planFacts(situation))
  if (!plan) return undefined
  const update = {
    plan,
    current: config,
    desired: config,
    ...(currentImage !== undefined && { desiredImage: currentImage }),
  }
  return {
    why: `rewriting what differs: ${describeDifferences(checked.differences)}`,
    next: { action: 'update', update, healing: true },
    report: { state: nodeStates.working },
  }
}

/**
 * Whether an update may leave a config whose OS did not boot: nothing else differs, and another config is desired, usually
 * the previous one. The update then needs no force file.
 */
export function leavesUnbootedOs({ facts, inDesired }: NodeSituation): boolean {
  const { checked, finalizationFailure, drift } = facts
  if (inDesired || finalizationFailure === undefined || drift === 'block') return false
  return checked?.differences.every(isOsDifference) ?? false
}

const rootCause = (failure: string | undefined): string =>
  failure === undefined ? '' : `; possible root cause: ${failure.slice(0, 200)}`
