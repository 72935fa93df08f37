import type { Pass, StepContext } from '@machinist/kube/controller/step-controller'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import type { Node } from '@machinist/kube/kinds/core'
import { nodes } from '@machinist/kube/kinds/core'
import { nodeFacts, notReadyText } from '@machinist/kube/nodes/node-facts'
import { nodeEvents } from '../../api/reasons.ts'
import type { KubeletTurnsResult } from './act.ts'
import type { KubeletTurnsPlan } from './decide.ts'
import type { KubeletTurnsFacts } from './facts.ts'
import type { KubeletTurnsSources } from './gather.ts'
import type { TurnMetrics } from './turn-metrics.ts'

export type KubeletTurnsPass = Pass<KubeletTurnsFacts, KubeletTurnsPlan, KubeletTurnsResult>

export interface KubeletTurnsReportContext
  extends KubeletTurnsSources, Pick<StepContext, 'events'> {
  readonly turnMetrics: TurnMetrics
}

/** Metrics, before the writes. */
export function announce(plan: KubeletTurnsPlan, metrics: TurnMetrics): void {
  metrics.update(plan)
}

/** A metric, and an event on every node whose turn was withdrawn. */
export function report(pass: KubeletTurnsPass, context: KubeletTurnsReportContext): void {
  const { caches, events, turnMetrics } = context
  if (pass.type === 'failed') return
  for (const name of pass.result.withdrawn) {
    turnMetrics.withdrawn()
    const node = caches.nodes.get(name)
    if (node) emitWithdrawn(events, node)
  }
}

function emitWithdrawn(events: EventRecorder, node: Readonly<Node>): void {
  const { name, uid = '' } = node.metadata
  const { notReadySince } = nodeFacts(node)
  const state = notReadySince === undefined ? '' : ` The node is ${notReadyText(notReadySince)}.`
  events.warning(
    { apiVersion: 'v1', kind: nodes.kind, name, uid },
    nodeEvents.kubeletTurnWithdrawn,
    `Node ${name} did not finish its turn to restart the kubelet; the turn goes to the next node.${state}` +
      ' Check the machinist daemon and the kubelet on the node; it gets another turn.',
  )
}
