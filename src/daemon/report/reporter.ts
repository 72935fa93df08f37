import type { Logger } from '@machinist/core/log'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import { nodeAnnotations, nodeStates } from '../../api/annotations.ts'
import { nodeEvents } from '../../api/reasons.ts'
import type { UpdatePhase, Update } from '../apply/update.ts'
import type { NodeView } from '../node/node-view.ts'
import type { OwnNode } from '../node/own-node.ts'
import type { AnnotationChanges } from './annotations.ts'
import { annotationsOf, rebootBegins } from './annotations.ts'
import type { DaemonMetrics } from './daemon-metrics.ts'
import type { NodeEvent } from './decision-events.ts'
import type { MachineConfigNodeReporter, Versions } from './machine-config-node.ts'
import type { Milestone } from './milestone.ts'

export interface NodeReporterOptions {
  readonly node: OwnNode
  readonly events: EventRecorder
  readonly progress: MachineConfigNodeReporter
  readonly metrics: DaemonMetrics
  readonly log: Logger
}

/** Writes the reports of the config lane: annotations and events of the Node, conditions of the MachineConfigNode, metrics. */
export class NodeReporter {
  readonly #options: NodeReporterOptions

  constructor(options: NodeReporterOptions) {
    this.#options = options
  }

  /** Reports a failure outside of a decision. */
  async reportFailure(node: NodeView, reason: string): Promise<void> {
    const state = nodeStates.degraded
    this.#options.metrics.state(state, reason)
    this.milestone(node, { type: 'degraded', reason }, annotatedVersions(node))
    await this.annotate(annotationsOf({ state, reason }, node))
  }

  event(node: NodeView, reason: string, message: string, isWarning = false): void {
    const about = { apiVersion: 'v1', kind: 'Node', name: node.name, uid: node.uid }
    if (isWarning) this.#options.events.warning(about, reason, message)
    else this.#options.events.normal(about, reason, message)
  }

  emit(node: NodeView, events: readonly NodeEvent[]): void {
    for (const { reason, message, isWarning } of events)
      this.event(node, reason, message, isWarning)
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
  async annotate(changes: AnnotationChanges, seen?: string): Promise<void> {
    if (Object.keys(changes).length === 0 && seen === undefined) return
    await this.#options.node.annotate(changes, seen)
  }
}

function annotatedVersions({ annotations }: NodeView): Versions {
  const current = annotations[nodeAnnotations.currentConfig]
  const desired = annotations[nodeAnnotations.desiredConfig]
  return { ...(current !== undefined && { current }), ...(desired && { desired }) }
}
