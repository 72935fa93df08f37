import { messageOf } from '@machinist/core/errors'
import type { StepContext } from '@machinist/kube/controller/step-controller'
import { nodeEvents } from '../../api/reasons.ts'
import type {
  InterruptedUpdate,
  UpdateOutcome,
  UpdatePhase,
  Update,
  Updates,
} from '../apply/update.ts'
import { actionEvents, causeOf, failedAction, stagedEvents } from '../report/action-events.ts'
import type { DriftExceptions } from '../drift/exceptions.ts'
import type { NodeReporter } from '../report/reporter.ts'
import type { Difference } from '../verify/difference.ts'
import type { NodeView } from '../node/node-view.ts'

export interface UpdateContext extends Pick<StepContext, 'log'> {
  readonly updates: Updates
  readonly reporter: NodeReporter
  /** Differences that these cover do not matter. */
  readonly exceptions: Pick<DriftExceptions, 'without'>
  /** Aborts when the daemon stops: the update is parked. */
  readonly stop: AbortSignal
}

/** How an attempt ended, as the next decision needs it. */
export type UpdateEnd =
  | {
      readonly type: 'applied'
      readonly config: string
      readonly differences: readonly Difference[]
    }
  | { readonly type: 'rebooting' | 'parked' }
  | { readonly type: 'failed'; readonly reason: string }

/** Runs an update and reports its progress. */
export const runUpdate = (
  node: NodeView,
  update: Update,
  context: UpdateContext,
): Promise<UpdateEnd> => attempt(node, update, context, (run) => context.updates.run(update, run))

/** Continues an update after a restart of the daemon or of the machine, or its rollback. */
export function resumeUpdate(
  node: NodeView,
  interrupted: InterruptedUpdate,
  context: UpdateContext,
): Promise<UpdateEnd> {
  const { reporter, updates } = context
  const { update, reboot } = interrupted
  if (reboot?.happened) reportRebooted(node, interrupted, reboot.reason, reporter)
  return attempt(node, update, context, (run) => updates.resume(run))
}

function reportRebooted(
  node: NodeView,
  { update, rollingBack }: InterruptedUpdate,
  reason: string,
  reporter: NodeReporter,
): void {
  const { from, to } = update.plan
  const undoing = rollingBack && { undoing: true }
  const current = rollingBack ? from : to
  reporter.milestone(node, { type: 'rebooted', to, reason, ...undoing }, { current, desired: to })
  const what = rollingBack ? '' : ` into config ${to}`
  reporter.event(node, nodeEvents.reboot, `Node has rebooted${what}: ${reason}`)
}

async function attempt(
  node: NodeView,
  update: Update,
  context: UpdateContext,
  work: (run: Parameters<Updates['resume']>[0]) => Promise<UpdateOutcome>,
): Promise<UpdateEnd> {
  const { reporter, stop: signal } = context
  let phase: UpdatePhase | undefined
  let undoing = false
  let rebootReported: Promise<void> = Promise.resolve()
  const progress = (next: UpdatePhase): void => {
    if (phase === 'os' && next === 'actions') reporter.emit(node, stagedEvents(update))
    phase = next === 'rollingBack' ? phase : next
    undoing ||= next === 'rollingBack'
    reporter.phase(node, next, update, undoing)
    if (next === 'rebooting') rebootReported = reporter.reportReboot()
  }
  const outcome = await work({ progress, signal })
  await rebootReported
  return endOf(node, update, outcome, phase, context)
}

function endOf(
  node: NodeView,
  update: Update,
  outcome: UpdateOutcome,
  phase: UpdatePhase | undefined,
  context: UpdateContext,
): UpdateEnd {
  const { reporter, exceptions } = context
  const { to } = update.plan
  switch (outcome.type) {
    case 'applied':
      reportApplied(node, update, context)
      return { type: 'applied', config: to, differences: [] }
    case 'unverified': {
      const differences = exceptions.without(outcome.differences)
      if (differences.length === 0) reportApplied(node, update, context)
      return { type: 'applied', config: to, differences }
    }
    case 'rebooting':
      return { type: 'rebooting' }
    case 'parked':
      reporter.event(
        node,
        nodeEvents.gotSigtermDuringUpdate,
        `The update to ${to} is parked and continues when the daemon is back`,
      )
      return { type: 'parked' }
    case 'rolledBack':
    case 'stuck':
      return { type: 'failed', reason: reportFailed(node, update, outcome, phase, context) }
  }
}

function reportApplied(node: NodeView, update: Update, { reporter, log }: UpdateContext): void {
  const { plan } = update
  const { from, to } = plan
  log.info('update applied', { from, to })
  reporter.metrics.updated(to, '')
  if (plan.steps.some((step) => step.do === 'change-os')) reporter.metrics.osChange(false)
  reporter.emit(node, actionEvents(plan))
  reporter.milestone(node, { type: 'acted', to }, { current: to, desired: to })
}

/** Returns the reason, for the Node. */
function reportFailed(
  node: NodeView,
  { plan }: Update,
  outcome: Extract<UpdateOutcome, { error: Error }>,
  phase: UpdatePhase | undefined,
  { reporter, log }: UpdateContext,
): string {
  const error = messageOf(outcome.error)
  log.error('update failed', outcome.error, { from: plan.from, to: plan.to, phase })
  reporter.metrics.updated(plan.to, error)
  if (phase === 'rebooting') reporter.metrics.rebootFailed()
  if (phase === 'os') reporter.metrics.osChange(true)
  const event = phase === 'actions' ? failedAction(plan, error) : undefined
  if (event) reporter.emit(node, [event])
  const what = phase === 'rebooting' ? 'reboot command failed: ' : ''
  const cause = phase === 'rebooting' ? '' : causeOf(plan, error)
  const failed = `the update from ${plan.from} to ${plan.to} failed: ${what}${error}${cause}`
  return outcome.type === 'rolledBack'
    ? `${failed}. The update was rolled back and will be retried`
    : `${failed}. The rollback failed too: ${messageOf(outcome.rollbackError)}. Both will be retried`
}
