import { nodeAnnotations, nodeStates } from '../../api/annotations.ts'
import { nodeEvents } from '../../api/reasons.ts'
import type { Logger } from '../../base/log.ts'
import type { EventRecorder } from '../../kube/events/recorder.ts'
import type { Phase, Update } from '../apply/update.ts'
import type { Decision, StateReport } from '../follow/decision.ts'
import type { Facts, NodeView } from '../follow/facts.ts'
import type { OwnNode } from '../follow/own-node.ts'
import { currentOf, stateOf } from '../follow/situation.ts'
import type { AnnotationChanges } from './annotations.ts'
import { annotationsFor, rebootBegins } from './annotations.ts'
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
    const { node } = facts
    if (node && !facts.rebooting && next.do !== 'ignore') {
      if (isNew && next.do !== 'done') this.#tellEvents(decision, facts, node)
      await this.#annotate(annotationsFor(decision, node))
      if (isNew && next.do === 'done') this.#tellEvents(decision, facts, node)
      this.#tellProgress(decision, facts, node)
      this.#count(decision, node)
    }
    this.#last = key
  }

  /** Something went wrong beside every decision. */
  failing(node: NodeView, report: StateReport): Promise<void> {
    const { reason: why = '' } = report
    const decision: Decision = { policy: 'error', why, next: { do: 'degrade' }, report }
    return this.#annotate(annotationsFor(decision, node))
  }

  event(node: NodeView, reason: string, message: string, isBad = false): void {
    const about = { apiVersion: 'v1', kind: 'Node', name: node.name, uid: node.uid }
    if (isBad) this.#options.events.warning(about, reason, message)
    else this.#options.events.normal(about, reason, message)
  }

  milestone(node: NodeView, milestone: Milestone, versions: Versions): void {
    this.#options.progress.report(node, milestone, versions)
  }

  phase(node: NodeView, phase: Phase, { plan, current }: Update): void {
    const { from, to, reboot: reboots } = plan
    const versions = { current: current.metadata.name, desired: to }
    this.milestone(node, { at: 'phase', phase, to, reboots }, versions)
    if (phase === 'rebooting') {
      const why = plan.steps.find((step) => step.do === 'reboot')?.reason ?? `from ${from} to ${to}`
      this.event(node, nodeEvents.reboot, `Node will reboot into config ${to}: ${why}`)
    }
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

  async #annotate(changes: AnnotationChanges): Promise<void> {
    if (Object.keys(changes).length > 0) await this.#options.node.annotate(changes)
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

const missingIn = ({ configs }: Facts): string[] =>
  Object.keys(configs).filter((name) => configs[name] === 'missing')

function versionsOf(facts: Facts, node: NodeView): Versions {
  const current = currentOf(facts, node)
  const name = current === 'missing' ? undefined : current.config?.metadata.name
  const desired = node.annotations[nodeAnnotations.desiredConfig]
  return { ...(name !== undefined && { current: name }), ...(desired && { desired }) }
}
