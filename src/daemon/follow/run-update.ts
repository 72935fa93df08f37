import { nodeEvents } from '../../api/reasons.ts'
import { messageOf } from '@machinist/core/errors'
import type { Logger } from '@machinist/core/log'
import type { Interrupted, Outcome, Phase, Update, Updates } from '../apply/update.ts'
import { actionEvents, causeOf, failedAction, stagedEvents } from '../report/action-events.ts'
import type { ToldEvent } from '../report/decision-events.ts'
import type { Reporter } from '../report/reporter.ts'
import type { Difference } from '../verify/difference.ts'
import type { NodeView } from './facts.ts'

export interface UpdateRunnerOptions {
  readonly updates: Updates
  readonly reporter: Reporter
  readonly log: Logger
  /** When it aborts, what is under way is parked. */
  readonly signal: AbortSignal
  /** Differences that nobody minds are left out. */
  readonly minded: (differences: readonly Difference[]) => Difference[]
}

/** How an attempt ended, as far as the next decision is concerned. */
export type Ended =
  | { readonly is: 'applied'; readonly config: string; readonly differences: readonly Difference[] }
  | { readonly is: 'rebooting' | 'parked' }
  | { readonly is: 'failed'; readonly reason: string }

/** Carries updates out and tells how they go. */
export class UpdateRunner {
  readonly #options: UpdateRunnerOptions

  constructor(options: UpdateRunnerOptions) {
    this.#options = options
  }

  run(node: NodeView, update: Update): Promise<Ended> {
    return this.#attempt(node, update, (run) => this.#options.updates.run(update, run))
  }

  resume(node: NodeView, interrupted: Interrupted): Promise<Ended> {
    if (interrupted.reboot?.happened) this.#rebooted(node, interrupted, interrupted.reboot.reason)
    const { updates } = this.#options
    return this.#attempt(node, interrupted.update, (run) => updates.resume(run))
  }

  /** Why did this node reboot? */
  #rebooted(node: NodeView, { update, rollingBack }: Interrupted, reason: string): void {
    const { reporter } = this.#options
    const { from, to } = update.plan
    const undoing = rollingBack && { undoing: true }
    const current = rollingBack ? from : to
    reporter.milestone(node, { at: 'rebooted', to, reason, ...undoing }, { current, desired: to })
    const what = rollingBack ? '' : ` into config ${to}`
    reporter.event(node, nodeEvents.reboot, `Node has rebooted${what}: ${reason}`)
  }

  async #attempt(
    node: NodeView,
    update: Update,
    work: (run: Parameters<Updates['resume']>[0]) => Promise<Outcome>,
  ): Promise<Ended> {
    const { reporter, signal } = this.#options
    let phase: Phase | undefined
    let undoing = false
    let toldReboot: Promise<void> = Promise.resolve()
    const progress = (next: Phase): void => {
      if (phase === 'os' && next === 'actions') this.#tell(node, stagedEvents(update))
      phase = next === 'rollingBack' ? phase : next
      undoing ||= next === 'rollingBack'
      reporter.phase(node, next, update, undoing)
      if (next === 'rebooting') toldReboot = reporter.rebooting()
    }
    const outcome = await work({ progress, signal })
    await toldReboot
    return this.#ended(node, update, outcome, phase)
  }

  #ended(node: NodeView, update: Update, outcome: Outcome, phase: Phase | undefined): Ended {
    const { reporter, minded } = this.#options
    const { to } = update.plan
    switch (outcome.is) {
      case 'applied':
        this.#applied(node, update)
        return { is: 'applied', config: to, differences: [] }
      case 'unverified': {
        const differences = minded(outcome.differences)
        if (differences.length === 0) this.#applied(node, update)
        return { is: 'applied', config: to, differences }
      }
      case 'rebooting':
        return { is: 'rebooting' }
      case 'parked':
        reporter.event(
          node,
          nodeEvents.gotSigtermDuringUpdate,
          `The update to ${to} was parked: it goes on when the daemon is back`,
        )
        return { is: 'parked' }
      case 'rolledBack':
      case 'stuck':
        return { is: 'failed', reason: this.#failed(node, update, outcome, phase) }
    }
  }

  #applied(node: NodeView, update: Update): void {
    const { reporter, log } = this.#options
    const { plan } = update
    const { from, to } = plan
    log.info('update applied', { from, to })
    reporter.metrics.updated(to, '')
    if (plan.steps.some((step) => step.do === 'change-os')) reporter.metrics.osChange(false)
    this.#tell(node, actionEvents(plan))
    reporter.milestone(node, { at: 'acted', to }, { current: to, desired: to })
  }

  #tell(node: NodeView, events: readonly ToldEvent[]): void {
    const { reporter } = this.#options
    for (const { reason, message, isBad } of events) reporter.event(node, reason, message, isBad)
  }

  #failed(
    node: NodeView,
    { plan }: Update,
    outcome: Extract<Outcome, { error: Error }>,
    phase: Phase | undefined,
  ): string {
    const { reporter, log } = this.#options
    const error = messageOf(outcome.error)
    log.error('update failed', outcome.error, { from: plan.from, to: plan.to, phase })
    reporter.metrics.updated(plan.to, error)
    if (phase === 'rebooting') reporter.metrics.rebootFailed()
    if (phase === 'os') reporter.metrics.osChange(true)
    const told = phase === 'actions' ? failedAction(plan, error) : undefined
    if (told) this.#tell(node, [told])
    const what = phase === 'rebooting' ? 'reboot command failed: ' : ''
    const cause = phase === 'rebooting' ? '' : causeOf(plan, error)
    const failed = `the update from ${plan.from} to ${plan.to} failed: ${what}${error}${cause}`
    return outcome.is === 'rolledBack'
      ? `${failed}. The node is as it was before; the update will be tried again`
      : `${failed}. It could not be undone either: ${messageOf(outcome.rollbackError)}. Both are tried again`
  }
}
