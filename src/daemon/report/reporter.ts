import { nodeAnnotations, nodeStates } from '../../api/annotations.ts'
import { nodeEvents } from '../../api/reasons.ts'
import type { Logger } from '@machinist/core/log'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import type { UpdatePhase, Update } from '../apply/update.ts'
import type { FollowDecision } from '../follow/decision/decision.ts'
import type { FollowFacts } from '../follow/decision/facts.ts'
import type { NodeView } from '../node/node-view.ts'
import type { OwnNode } from '../node/own-node.ts'
import { currentConfigOf } from '../follow/decision/situation.ts'
import { stateOf } from '../node/node-view.ts'
import type { AnnotationChanges } from './annotations.ts'
import { annotationsFor, annotationsOf, isNewFailure, rebootBegins } from './annotations.ts'
import type { DaemonMetrics } from './daemon-metrics.ts'
import { eventsFor } from './decision-events.ts'
import type { MachineConfigNodeReporter, Versions } from './machine-config-node.ts'
import type { Milestone } from './milestone.ts'

export interface NodeReporterOptions {
  readonly node: OwnNode
  readonly events: EventRecorder
  readonly progress: MachineConfigNodeReporter
  readonly metrics: DaemonMetrics
  readonly log: Logger
}

/** Reports decisions: annotations first, because controllers act on them; then events, conditions and metrics. */
export class NodeReporter {
  readonly #options: NodeReporterOptions
  #last = ''

  constructor(options: NodeReporterOptions) {
    this.#options = options
  }

  /** Fails if the annotations cannot be written: the daemon must not act without reporting it. */
  async reportDecision(decision: FollowDecision, facts: FollowFacts): Promise<void> {
    const { log } = this.#options
    const { check, why, next } = decision
    // A verification only leads to the next decision.
    if (next.action === 'verify') return log.debug('decided', { check, why, next: next.action })
    const key = JSON.stringify([check, why, next.action])
    const isNew = key !== this.#last
    if (isNew) {
      log.info('decided', { check, why, next: next.action })
      for (const name of missingIn(facts)) this.#options.metrics.missing(name)
    }
    const { node, finalizationFailure } = facts
    if (node && !facts.rebooting && next.action !== 'ignore') {
      if (isNewFailure(node, finalizationFailure)) {
        this.event(node, nodeEvents.failedFinalization, finalizationFailure, true)
      }
      const seen = isGuarded(next) ? node.version : undefined
      await this.#annotate(annotationsFor(decision, node, finalizationFailure), seen)
      if (isNew) this.#reportEvents(decision, facts, node)
      this.#reportProgress(decision, facts, node)
      this.#count(decision, node)
    }
    this.#last = key
  }

  /** Reports a failure outside of a decision. */
  async reportFailure(node: NodeView, reason: string): Promise<void> {
    const state = nodeStates.degraded
    this.#options.metrics.state(state, reason)
    this.milestone(node, { type: 'degraded', reason }, annotatedVersions(node))
    await this.#annotate(annotationsOf({ state, reason }, node))
  }

  event(node: NodeView, reason: string, message: string, isWarning = false): void {
    const about = { apiVersion: 'v1', kind: 'Node', name: node.name, uid: node.uid }
    if (isWarning) this.#options.events.warning(about, reason, message)
    else this.#options.events.normal(about, reason, message)
  }

  milestone(node: NodeView, milestone: Milestone, versions: Versions): void {
    this.#options.progress.report(node, milestone, versions)
  }

  phase(node: NodeView, phase: UpdatePhase, { plan, current }: Update, undoing: boolean): void {
    const { from, to, reboot: reboots } = plan
    const versions = { current: current.metadata.name, desired: to }
    this.milestone(
      node,
      { type: 'phase', phase, to, reboots, ...(undoing && { undoing }) },
      versions,
    )
    if (phase !== 'rebooting') return
    const why = plan.steps.find((step) => step.do === 'reboot')?.reason ?? `from ${from} to ${to}`
    const what = undoing ? `to roll back the update to ${to}` : `into config ${to}: ${why}`
    this.event(node, nodeEvents.reboot, `Node will reboot ${what}`)
  }

  /** Best effort: the machine reboots even if the write fails. */
  async reportReboot(): Promise<void> {
    try {
      await this.#options.node.annotate(rebootBegins)
    } catch (error) {
      this.#options.log.error('cannot report the reboot on the Node', error)
    }
  }

  get metrics(): DaemonMetrics {
    return this.#options.metrics
  }

  /** With `seen`, sends the patch even without changes, so that the server checks the version. */
  async #annotate(changes: AnnotationChanges, seen?: string): Promise<void> {
    if (Object.keys(changes).length === 0 && seen === undefined) return
    await this.#options.node.annotate(changes, seen)
  }

  #reportEvents(decision: FollowDecision, facts: FollowFacts, node: NodeView): void {
    for (const { reason, message, isWarning } of eventsFor(decision, facts, node)) {
      this.event(node, reason, message, isWarning)
    }
  }

  #reportProgress({ next, report }: FollowDecision, facts: FollowFacts, node: NodeView): void {
    const versions = versionsOf(facts, node)
    const to = versions.desired ?? ''
    const reach = (milestone: Milestone): void => this.milestone(node, milestone, versions)
    if (next.action === 'requestDrain') reach({ type: 'due', to })
    else if (next.action === 'unreconcilable')
      reach({ type: 'refused', to, reason: report?.reason ?? '' })
    else if (next.action === 'update') {
      if (!next.healing) reach({ type: 'prepared', plan: next.update.plan })
    } else if (next.action === 'done') {
      if (!facts.settled) reach({ type: 'resumed', config: to })
      reach({ type: 'updated', config: to })
    } else if (report?.state === nodeStates.degraded) {
      reach({ type: 'degraded', reason: report.reason ?? '' })
    }
  }

  #count({ report }: FollowDecision, node: NodeView): void {
    const state = report?.state ?? stateOf(node)
    const reason = report?.reason ?? node.annotations[nodeAnnotations.reason] ?? ''
    this.#options.metrics.state(state, reason)
  }
}

/**
 * Whether the write must conflict if the Node has changed. A partitioned node may still see a config that was taken back, and
 * must not begin its update; a node that stays in its config must not overwrite a turn that it is given at this moment.
 */
const isGuarded = ({ action }: FollowDecision['next']): boolean =>
  action === 'requestDrain' || action === 'update' || action === 'stay'

const missingIn = ({ configs }: FollowFacts): string[] =>
  Object.keys(configs).filter((name) => configs[name] === 'missing')

function versionsOf(facts: FollowFacts, node: NodeView): Versions {
  const current = currentConfigOf(facts, node)
  const name = current === 'missing' ? undefined : current.config?.metadata.name
  return versions(name, node)
}

const annotatedVersions = (node: NodeView): Versions =>
  versions(node.annotations[nodeAnnotations.currentConfig], node)

function versions(current: string | undefined, { annotations }: NodeView): Versions {
  const desired = annotations[nodeAnnotations.desiredConfig]
  return { ...(current !== undefined && { current }), ...(desired && { desired }) }
}
