import { nodeAnnotations, nodeStates } from '../../api/annotations.ts'
import { nodeEvents } from '../../api/reasons.ts'
import type { Logger } from '@machinist/core/log'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import type { Phase, Update } from '../apply/update.ts'
import type { Decision } from '../follow/decision.ts'
import type { Facts, NodeView } from '../follow/facts.ts'
import type { OwnNode } from '../follow/own-node.ts'
import { currentOf, stateOf } from '../follow/situation.ts'
import type { AnnotationChanges } from './annotations.ts'
import { annotationsFor, annotationsOf, isNewFailure, rebootBegins } from './annotations.ts'
import type { DaemonMetrics } from './daemon-metrics.ts'
import { eventsFor } from './decision-events.ts'
import type { MachineConfigNodeReporter, Versions } from './machine-config-node.ts'
import type { Milestone } from './milestone.ts'

export interface ReporterOptions {
  readonly node: OwnNode
  readonly events: EventRecorder
  readonly progress: MachineConfigNodeReporter
  readonly metrics: DaemonMetrics
  readonly log: Logger
}

/** Tells the cluster: annotations first, as everybody acts upon them; then events, conditions and numbers. */
export class Reporter {
  readonly #options: ReporterOptions
  #last = ''

  constructor(options: ReporterOptions) {
    this.#options = options
  }

  /** Fails if the annotations cannot be written: whoever cannot say what it does should not do it. */
  async decided(decision: Decision, facts: Facts): Promise<void> {
    const { log } = this.#options
    const { policy, why, next } = decision
    // A look at the disk is only the way to the next decision.
    if (next.do === 'verify') return log.debug('decided', { policy, why, next: next.do })
    const key = JSON.stringify([policy, why, next.do])
    const isNew = key !== this.#last
    if (isNew) {
      log.info('decided', { policy, why, next: next.do })
      for (const name of missingIn(facts)) this.#options.metrics.missing(name)
    }
    const { node, finalizationFailure } = facts
    if (node && !facts.rebooting && next.do !== 'ignore') {
      if (isNewFailure(node, finalizationFailure)) {
        this.event(node, nodeEvents.failedFinalization, finalizationFailure, true)
      }
      const seen = isGuarded(next) ? node.version : undefined
      await this.#annotate(annotationsFor(decision, node, finalizationFailure), seen)
      if (isNew) this.#tellEvents(decision, facts, node)
      this.#tellProgress(decision, facts, node)
      this.#count(decision, node)
    }
    this.#last = key
  }

  /** Something went wrong beside every decision. */
  async failing(node: NodeView, reason: string): Promise<void> {
    const state = nodeStates.degraded
    this.#options.metrics.state(state, reason)
    this.milestone(node, { at: 'degraded', reason }, versionsSaid(node))
    await this.#annotate(annotationsOf({ state, reason }, node))
  }

  event(node: NodeView, reason: string, message: string, isBad = false): void {
    const about = { apiVersion: 'v1', kind: 'Node', name: node.name, uid: node.uid }
    if (isBad) this.#options.events.warning(about, reason, message)
    else this.#options.events.normal(about, reason, message)
  }

  milestone(node: NodeView, milestone: Milestone, versions: Versions): void {
    this.#options.progress.report(node, milestone, versions)
  }

  phase(node: NodeView, phase: Phase, { plan, current }: Update, undoing: boolean): void {
    const { from, to, reboot: reboots } = plan
    const versions = { current: current.metadata.name, desired: to }
    this.milestone(node, { at: 'phase', phase, to, reboots, ...(undoing && { undoing }) }, versions)
    if (phase !== 'rebooting') return
    const why = plan.steps.find((step) => step.do === 'reboot')?.reason ?? `from ${from} to ${to}`
    const what = undoing ? `to undo the update to ${to}` : `into config ${to}: ${why}`
    this.event(node, nodeEvents.reboot, `Node will reboot ${what}`)
  }

  /** Best effort: the machine goes down all the same. */
  async rebooting(): Promise<void> {
    try {
      await this.#options.node.annotate(rebootBegins)
    } catch (error) {
      this.#options.log.error('cannot tell that the node reboots', error)
    }
  }

  get metrics(): DaemonMetrics {
    return this.#options.metrics
  }

  /** With `seen`, even if nothing has to be written: the server is asked whether that is still how things are. */
  async #annotate(changes: AnnotationChanges, seen?: string): Promise<void> {
    if (Object.keys(changes).length === 0 && seen === undefined) return
    await this.#options.node.annotate(changes, seen)
  }

  #tellEvents(decision: Decision, facts: Facts, node: NodeView): void {
    for (const { reason, message, isBad } of eventsFor(decision, facts, node)) {
      this.event(node, reason, message, isBad)
    }
  }

  #tellProgress({ next, report }: Decision, facts: Facts, node: NodeView): void {
    const versions = versionsOf(facts, node)
    const to = versions.desired ?? ''
    const tell = (milestone: Milestone): void => this.milestone(node, milestone, versions)
    if (next.do === 'requestDrain') tell({ at: 'due', to })
    else if (next.do === 'unreconcilable') tell({ at: 'refused', to, reason: report?.reason ?? '' })
    else if (next.do === 'update') {
      if (!next.healing) tell({ at: 'prepared', plan: next.update.plan })
    } else if (next.do === 'done') {
      if (!facts.settled) tell({ at: 'resumed', config: to })
      tell({ at: 'updated', config: to })
    } else if (report?.state === nodeStates.degraded) {
      tell({ at: 'degraded', reason: report.reason ?? '' })
    }
  }

  #count({ report }: Decision, node: NodeView): void {
    const state = report?.state ?? stateOf(node)
    const reason = report?.reason ?? node.annotations[nodeAnnotations.reason] ?? ''
    this.#options.metrics.state(state, reason)
  }
}

/**
 * Refused if the Node has changed since. A node that was cut off may see a config that was taken back meanwhile: then no
 * update may begin. Neither may a node that stays as it is undo the turn that it is given at this moment.
 */
const isGuarded = ({ do: what }: Decision['next']): boolean =>
  what === 'requestDrain' || what === 'update' || what === 'stay'

const missingIn = ({ configs }: Facts): string[] =>
  Object.keys(configs).filter((name) => configs[name] === 'missing')

function versionsOf(facts: Facts, node: NodeView): Versions {
  const current = currentOf(facts, node)
  const name = current === 'missing' ? undefined : current.config?.metadata.name
  return versions(name, node)
}

const versionsSaid = (node: NodeView): Versions =>
  versions(node.annotations[nodeAnnotations.currentConfig], node)

function versions(current: string | undefined, { annotations }: NodeView): Versions {
  const desired = annotations[nodeAnnotations.desiredConfig]
  return { ...(current !== undefined && { current }), ...(desired && { desired }) }
}
