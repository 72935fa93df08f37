import type { DrainPolicy, MachineConfigNode, MachineConfigPool } from '../../api/resources.ts'
import type { Clock } from '@machinist/core/clock'
import type { KubeObject } from '@machinist/core/resource'
import type { KubeClient } from '@machinist/kube/client'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import type { Informer } from '@machinist/kube/informer/informer'
import type { Indexes } from '@machinist/kube/informer/store'
import type { Node } from '@machinist/kube/kinds/core'
import type { PodDisruptionBudget } from '@machinist/kube/kinds/policy'
import type { DrainMetrics } from './drain-metrics.ts'
import { pendingRequest } from './request.ts'

/** What both controllers of this folder are given. The informers may be shared with others. */
export interface DrainWorld {
  readonly client: KubeClient
  readonly clock: Clock
  readonly events: EventRecorder
  readonly metrics: DrainMetrics
  /** With `nodeIndexes`. */
  readonly nodes: Informer<Node>
  /** With `budgetIndexes`. */
  readonly budgets: Informer<PodDisruptionBudget>
  /** Their metadata is enough. */
  readonly daemonSets: Informer<KubeObject>
  readonly machineConfigNodes: Informer<MachineConfigNode>
  readonly drainPolicies: Informer<DrainPolicy>
  readonly pools: Informer<MachineConfigPool>
  /** The pool whose DrainPolicy and turns count for a node. */
  readonly poolOf: (node: Readonly<Node>) => string | undefined
}

/** Nodes with something to do are found without looking at all of them. */
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
