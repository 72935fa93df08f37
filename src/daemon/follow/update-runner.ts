import { nodeEvents } from '../../api/reasons.ts'
import { messageOf } from '@machinist/core/errors'
import type { Logger } from '@machinist/core/log'
import type {
  InterruptedUpdate,
  UpdateOutcome,
  UpdatePhase,
  Update,
  Updates,
} from '../apply/update.ts'
import { actionEvents, causeOf, failedAction, stagedEvents } from '../report/action-events.ts'
import type { NodeEvent } from '../report/decision-events.ts'
import type { NodeReporter } from '../report/reporter.ts'
import type { Difference } from '../verify/difference.ts'
import type { NodeView } from '../node/node-view.ts'

export interface UpdateRunnerOptions {
  readonly updates: Updates
  readonly reporter: NodeReporter
  readonly log: Logger
  /** Aborting it parks the update in progress. */
  readonly signal: AbortSignal
  /** Leaves out differences that the drift exceptions cover. */
  readonly relevant: (differences: readonly Difference[]) => Difference[]
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

/** Runs updates and reports their progress. */
export class UpdateRunner {
  readonly #options: UpdateRunnerOptions

  constructor(options: UpdateRunnerOptions) {
    this.#options = options
  }

  run(node: NodeView, update: Update): Promise<UpdateEnd> {
    return this.#attempt(node, update, (run) => this.#options.updates.run(update, run))
  }

  resume(node: NodeView, interrupted: InterruptedUpdate): Promise<UpdateEnd> {
    if (interrupted.reboot?.happened) this.#rebooted(node, interrupted, interrupted.reboot.reason)
    const { updates } = this.#options
    return this.#attempt(node, interrupted.update, (run) => updates.resume(run))
  }

  #rebooted(node: NodeView, { update, rollingBack }: InterruptedUpdate, reason: string): void {
    const { reporter } = this.#options
    const { from, to } = update.plan
    const undoing = rollingBack && { undoing: true }
    const current = rollingBack ? from : to
    reporter.milestone(node, { type: 'rebooted', to, reason, ...undoing }, { current, desired: to })
    const what = rollingBack ? '' : ` into config ${to}`
    reporter.event(node, nodeEvents.reboot, `Node has rebooted${what}: ${reason}`)
  }

  async #attempt(
    node: NodeView,
    update: Update,
    work: (run: Parameters<Updates['resume']>[0]) => Promise<UpdateOutcome>,
  ): Promise<UpdateEnd> {
    const { reporter, signal } = this.#options
    let phase: UpdatePhase | undefined
    let undoing = false
    let rebootReported: Promise<void> = Promise.resolve()
    const progress = (next: UpdatePhase): void => {
      if (phase === 'os' && next === 'actions') this.#emit(node, stagedEvents(update))
      phase = next === 'rollingBack' ? phase : next
      undoing ||= next === 'rollingBack'
      reporter.phase(node, next, update, undoing)
      if (next === 'rebooting') rebootReported = reporter.reportReboot()
    }
    const outcome = await work({ progress, signal })
    await rebootReported
    return this.#ended(node, update, outcome, phase)
  }

  #ended(
    node: NodeView,
    update: Update,
    outcome: UpdateOutcome,
    phase: UpdatePhase | undefined,
  ): UpdateEnd {
    const { reporter, relevant } = this.#options
    const { to } = update.plan
    switch (outcome.type) {
      case 'applied':
        this.#applied(node, update)
        return { type: 'applied', config: to, differences: [] }
      case 'unverified': {
        const differences = relevant(outcome.differences)
        if (differences.length === 0) this.#applied(node, update)
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
        return { type: 'failed', reason: this.#failed(node, update, outcome, phase) }
    }
  }

  #applied(node: NodeView, update: Update): void {
    const { reporter, log } = this.#options
    const { plan } = update
    const { from, to } = plan
    log.info('update applied', { from, to })
    reporter.metrics.updated(to, '')
    if (plan.steps.some((step) => step.do === 'change-os')) reporter.metrics.osChange(false)
    this.#emit(node, actionEvents(plan))
    reporter.milestone(node, { type: 'acted', to }, { current: to, desired: to })
  }

  #emit(node: NodeView, events: readonly NodeEvent[]): void {
    const { reporter } = this.#options
    for (const { reason, message, isWarning } of events)
      reporter.event(node, reason, message, isWarning)
  }

  #failed(
    node: NodeView,
    { plan }: Update,
    outcome: Extract<UpdateOutcome, { error: Error }>,
    phase: UpdatePhase | undefined,
  ): string {
    const { reporter, log } = this.#options
    const error = messageOf(outcome.error)
    log.error('update failed', outcome.error, { from: plan.from, to: plan.to, phase })
    reporter.metrics.updated(plan.to, error)
    if (phase === 'rebooting') reporter.metrics.rebootFailed()
    if (phase === 'os') reporter.metrics.osChange(true)
    const event = phase === 'actions' ? failedAction(plan, error) : undefined
    if (event) this.#emit(node, [event])
    const what = phase === 'rebooting' ? 'reboot command failed: ' : ''
    const cause = phase === 'rebooting' ? '' : causeOf(plan, error)
    const failed = `the update from ${plan.from} to ${plan.to} failed: ${what}${error}${cause}`
    return outcome.type === 'rolledBack'
      ? `${failed}. The update was rolled back and will be retried`
      : `${failed}. The rollback failed too: ${messageOf(outcome.rollbackError)}. Both will be retried`
  }
}
