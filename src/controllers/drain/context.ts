import type {
  DrainPolicy,
  MachineConfigNode,
  MachineConfigPool,
} from '../../api/kinds/resources.ts'
import type { Clock } from '@machinist/core/clock'
import type { KubeObject } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import type { Informer } from '@machinist/kube/informer/informer'
import type { Indexes } from '@machinist/kube/informer/store'
import type { Node } from '@machinist/kube/kinds/core'
import type { PodDisruptionBudget } from '@machinist/kube/kinds/policy'
import type { DrainMetrics } from './drain-metrics.ts'
import { pendingRequest } from './request.ts'

/** The dependencies of both controllers of this folder. The informers may be shared with other controllers. */
export interface DrainContext {
  readonly client: KubeClient
  readonly clock: Clock
  readonly events: EventRecorder
  readonly metrics: DrainMetrics
  /** With `nodeIndexes`. */
  readonly nodes: Informer<Node>
  /** With `budgetIndexes`. */
  readonly budgets: Informer<PodDisruptionBudget>
  /** Metadata only. */
  readonly daemonSets: Informer<KubeObject>
  readonly machineConfigNodes: Informer<MachineConfigNode>
  readonly drainPolicies: Informer<DrainPolicy>
  readonly pools: Informer<MachineConfigPool>
  /** The pool whose DrainPolicy and turns apply to a node. */
  readonly poolOf: (node: Readonly<Node>) => string | undefined
}

/** Finds nodes with a pending request without listing all nodes. */
export const pendingIndex = 'drain'
export const nodeIndexes: Indexes<Node> = {
  [pendingIndex]: (node) => {
    const request = pendingRequest(node)
    return request ? [request.verb] : []
  },
}

export const namespaceIndex = 'namespace'
export const budgetIndexes: Indexes<PodDisruptionBudget> = {
  [namespaceIndex]: ({ metadata }) => [metadata.namespace ?? ''],
}
