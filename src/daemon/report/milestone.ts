import type { ConditionStatus } from '@machinist/core/objects/resource'
import type { ConditionReport } from '../../api/conditions.ts'
import { nodeConditions as is } from '../../api/conditions.ts'
import { driftIn } from '../../api/drift-reason.ts'
import { nodeReasons } from '../../api/reasons.ts'
import { planDigest } from '../../planner/plan-digest.ts'
import type { UpdatePlan } from '../../planner/model/update-plan.ts'
import type { UpdatePhase } from '../apply/update.ts'

/** A step of an update that the MachineConfigNode reports. */
export type Milestone =
  | { readonly type: 'due'; readonly to: string }
  | { readonly type: 'prepared'; readonly plan: UpdatePlan }
  | { readonly type: 'refused'; readonly to: string; readonly reason: string }
  | {
      readonly type: 'phase'
      readonly phase: UpdatePhase
      readonly to: string
      readonly reboots: boolean
      /** The update is being rolled back. */
      readonly undoing?: boolean
    }
  | { readonly type: 'acted'; readonly to: string }
  | {
      readonly type: 'rebooted'
      readonly to: string
      readonly reason: string
      /** The reboot was part of a rollback. */
      readonly undoing?: boolean
    }
  | { readonly type: 'resumed'; readonly config: string }
  | { readonly type: 'updated'; readonly config: string }
  | { readonly type: 'degraded'; readonly reason: string }

/** The conditions that a milestone sets: Unknown while in progress, True when finished. */
export function conditionsAt(milestone: Milestone): ConditionReport[] {
  switch (milestone.type) {
    case 'due':
      return [condition(is.updated, 'False', `Node needs an update to ${milestone.to}`)]
    case 'prepared':
      return [
        condition(is.updated, 'False', `Node needs an update to ${milestone.plan.to}`),
        condition(is.updatePrepared, 'True', preparation(milestone.plan)),
      ]
    case 'refused':
      return [
        condition(is.updated, 'False', `Node cannot be updated to ${milestone.to}`),
        condition(is.updatePrepared, 'False', milestone.reason, 'FailedCompatibility'),
        condition(is.nodeDegraded, 'True', milestone.reason, 'NodeDegraded'),
      ]
    case 'phase':
      return phase(milestone)
    case 'acted':
      return [
        ...executed('True', `Files and OS of ${milestone.to} are in place`),
        condition(is.updatePostActionComplete, 'True', 'All actions are complete'),
        healthy,
      ]
    case 'rebooted':
      if (milestone.undoing) {
        return [condition(is.rebootedNode, 'True', `Node has rebooted: ${milestone.reason}`)]
      }
      return [
        ...executed('True', `Files and OS of ${milestone.to} are in place`),
        condition(is.rebootedNode, 'True', `Node has rebooted: ${milestone.reason}`),
        condition(is.updatePostActionComplete, 'True', 'The node has rebooted'),
        healthy,
      ]
    case 'resumed':
      return [condition(is.resumed, 'True', `In desired config ${milestone.config}`)]
    case 'updated':
      return [
        condition(
          is.updateComplete,
          'True',
          `Node has completed the update to ${milestone.config}`,
        ),
        condition(is.updated, 'True', `Node is in ${milestone.config}`),
        healthy,
      ]
    case 'degraded':
      return [
        condition(is.nodeDegraded, 'True', milestone.reason, degradedReason(milestone.reason)),
      ]
  }
}

/** Drift has its own reason: it is not a failed update. */
const degradedReason = (reason: string): string =>
  driftIn(reason) ? nodeReasons.drifted : is.nodeDegraded

function phase({
  phase,
  to,
  reboots,
  undoing,
}: Extract<Milestone, { type: 'phase' }>): ConditionReport[] {
  switch (phase) {
    case 'files':
    case 'units':
      return executed('Unknown', `Writing files and units of ${to}`)
    case 'os':
      return executed('Unknown', `Staging the OS of ${to}`)
    case 'actions': {
      const what = reboots ? 'Rebooting the node' : 'Reloading and restarting services'
      return [
        ...executed('True', `Files and OS of ${to} are in place`),
        condition(is.updatePostActionComplete, 'Unknown', what),
      ]
    }
    case 'rebooting': {
      const what = undoing ? `to roll back the update to ${to}` : `into ${to}`
      return [condition(is.rebootedNode, 'Unknown', `Node is rebooting ${what}`)]
    }
    case 'rollingBack':
      return executed('False', `The update to ${to} failed and is being rolled back`)
  }
}

const healthy = condition(is.nodeDegraded, 'False', 'The node is healthy', 'AsExpected')

function executed(status: ConditionStatus, message: string): ConditionReport[] {
  return [
    condition(is.updateExecuted, status, message),
    condition(is.appliedFilesAndOS, status, message),
  ]
}

function preparation(plan: UpdatePlan): string {
  const { to, changes, reboot, drain } = plan
  const count = `${changes.length} ${changes.length === 1 ? 'change' : 'changes'}`
  const cost = reboot ? ', with a reboot' : drain ? ', with a drain' : ', without a reboot'
  return `Update to ${to} is compatible: ${count}${cost} (plan ${planDigest(plan)})`
}

function condition(
  type: string,
  status: ConditionStatus,
  message: string,
  reason: string = type,
): ConditionReport {
  return { type, status, reason, message }
}
