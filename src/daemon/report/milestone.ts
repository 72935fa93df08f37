import type { ConditionReport } from '../../api/conditions.ts'
import { nodeConditions as is } from '../../api/conditions.ts'
import { driftIn } from '../../api/drift-reason.ts'
import { nodeReasons } from '../../api/reasons.ts'
import type { ConditionStatus } from '@machinist/core/resource'
import { planDigest } from '../../planner/plan-digest.ts'
import type { UpdatePlan } from '../../planner/update-plan.ts'
import type { Phase } from '../apply/update.ts'

/** Something on the way of an update that a MachineConfigNode tells. */
export type Milestone =
  | { readonly at: 'due'; readonly to: string }
  | { readonly at: 'prepared'; readonly plan: UpdatePlan }
  | { readonly at: 'refused'; readonly to: string; readonly reason: string }
  | {
      readonly at: 'phase'
      readonly phase: Phase
      readonly to: string
      readonly reboots: boolean
      /** The update is being undone. */
      readonly undoing?: boolean
    }
  | { readonly at: 'acted'; readonly to: string }
  | {
      readonly at: 'rebooted'
      readonly to: string
      readonly reason: string
      /** It was on the way back. */
      readonly undoing?: boolean
    }
  | { readonly at: 'resumed'; readonly config: string }
  | { readonly at: 'updated'; readonly config: string }
  | { readonly at: 'degraded'; readonly reason: string }

/** What each milestone says. In progress is Unknown, finished is True. */
export function conditionsAt(milestone: Milestone): ConditionReport[] {
  switch (milestone.at) {
    case 'due':
      return [said(is.updated, 'False', `Node needs an update to ${milestone.to}`)]
    case 'prepared':
      return [
        said(is.updated, 'False', `Node needs an update to ${milestone.plan.to}`),
        said(is.updatePrepared, 'True', preparation(milestone.plan)),
      ]
    case 'refused':
      return [
        said(is.updated, 'False', `Node cannot be updated to ${milestone.to}`),
        said(is.updatePrepared, 'False', milestone.reason, 'FailedCompatibility'),
        said(is.nodeDegraded, 'True', milestone.reason, 'NodeDegraded'),
      ]
    case 'phase':
      return phase(milestone)
    case 'acted':
      return [
        ...executed('True', `Files and OS of ${milestone.to} are in place`),
        said(is.updatePostActionComplete, 'True', 'All actions were taken'),
        fine,
      ]
    case 'rebooted':
      if (milestone.undoing) {
        return [said(is.rebootedNode, 'True', `Node has rebooted: ${milestone.reason}`)]
      }
      return [
        ...executed('True', `Files and OS of ${milestone.to} are in place`),
        said(is.rebootedNode, 'True', `Node has rebooted: ${milestone.reason}`),
        said(is.updatePostActionComplete, 'True', 'The node has rebooted'),
        fine,
      ]
    case 'resumed':
      return [said(is.resumed, 'True', `In desired config ${milestone.config}`)]
    case 'updated':
      return [
        said(is.updateComplete, 'True', `Node has completed the update to ${milestone.config}`),
        said(is.updated, 'True', `Node is in ${milestone.config}`),
        fine,
      ]
    case 'degraded':
      return [said(is.nodeDegraded, 'True', milestone.reason, degradedReason(milestone.reason))]
  }
}

/** A node whose files somebody changed has not failed an update. */
const degradedReason = (reason: string): string =>
  driftIn(reason) ? nodeReasons.drifted : is.nodeDegraded

function phase({
  phase,
  to,
  reboots,
  undoing,
}: Extract<Milestone, { at: 'phase' }>): ConditionReport[] {
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
        said(is.updatePostActionComplete, 'Unknown', what),
      ]
    }
    case 'rebooting': {
      const what = undoing ? `to undo the update to ${to}` : `into ${to}`
      return [said(is.rebootedNode, 'Unknown', `Node is rebooting ${what}`)]
    }
    case 'rollingBack':
      return executed('False', `The update to ${to} failed and is being undone`)
  }
}

const fine = said(is.nodeDegraded, 'False', 'All is well', 'AsExpected')

function executed(status: ConditionStatus, message: string): ConditionReport[] {
  return [said(is.updateExecuted, status, message), said(is.appliedFilesAndOS, status, message)]
}

function preparation(plan: UpdatePlan): string {
  const { to, changes, reboot, drain } = plan
  const count = `${changes.length} ${changes.length === 1 ? 'change' : 'changes'}`
  const cost = reboot ? ', with a reboot' : drain ? ', with a drain' : ', without a reboot'
  return `Update to ${to} is compatible: ${count}${cost} (plan ${planDigest(plan)})`
}

function said(
  type: string,
  status: ConditionStatus,
  message: string,
  reason: string = type,
): ConditionReport {
  return { type, status, reason, message }
}
