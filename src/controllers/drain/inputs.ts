import type { KubeObject } from '@machinist/core/objects/resource'
import type { Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import type { Change } from '@machinist/kube/informer/change'
import type { Informer } from '@machinist/kube/informer/informer'
import type { Indexes } from '@machinist/kube/informer/store'
import type { Node } from '@machinist/kube/kinds/core'
import type { PodDisruptionBudget } from '@machinist/kube/kinds/policy'
import { nodeAnnotations } from '../../api/annotations.ts'
import type {
  DrainPolicy,
  MachineConfigNode,
  MachineConfigPool,
} from '../../api/kinds/resources.ts'
import type { PendingRequest } from './request.ts'
import { isCordoned, pendingRequest } from './request.ts'
import { turnsText } from './turn.ts'

/** The caches that the drain and uncordon controllers read. The informers may be shared with other controllers. */
export interface DrainCaches {
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
const pendingIndex = 'drain'
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

export const drainInputs = (caches: DrainCaches): Input[] =>
  requestInputs(caches, ['drain', 'unknown'])

/** Enqueues nodes whose request has one of these verbs, also when DrainPolicies or turns change. */
export function requestInputs(
  caches: DrainCaches,
  verbs: readonly PendingRequest['verb'][],
): Input[] {
  const pending = (): string[] =>
    verbs
      .flatMap((verb) => caches.nodes.byIndex(pendingIndex, verb))
      .map(({ metadata }) => metadata.name)
  return [
    input({
      resource: 'Node',
      informer: caches.nodes,
      keys: (change) => (isRelevant(change, verbs) ? [change.object.metadata.name] : []),
    }),
    input({ resource: 'DrainPolicy', informer: caches.drainPolicies, keys: pending }),
    input({
      resource: 'MachineConfigPool',
      informer: caches.pools,
      keys: (change) => (hasOtherTurns(change) ? pending() : []),
    }),
    // Only read: the caches must be synced, but no change enqueues a node.
    input({ resource: 'PodDisruptionBudget', informer: caches.budgets, keys: noKeys }),
    input({ resource: 'DaemonSet', informer: caches.daemonSets, keys: noKeys }),
    input({ resource: 'MachineConfigNode', informer: caches.machineConfigNodes, keys: noKeys }),
  ]
}

/** Most changes of nodes do not matter here. */
export function isRelevant(
  change: Change<Node>,
  verbs: readonly PendingRequest['verb'][],
): boolean {
  const { object } = change
  if (change.type === 'deleted') return true
  const hasRequest = (node: Readonly<Node>): boolean => {
    const request = pendingRequest(node)
    return request !== undefined && verbs.includes(request.verb)
  }
  if (change.type === 'added') return hasRequest(object)
  return (hasRequest(object) || hasRequest(change.before)) && !sameInput(change.before, object)
}

function sameInput(a: Readonly<Node>, b: Readonly<Node>): boolean {
  const { desiredDrain, lastAppliedDrain } = nodeAnnotations
  return (
    // A new cordon is our own write, or harmless.
    (isCordoned(b) || !isCordoned(a)) &&
    [desiredDrain, lastAppliedDrain].every(
      (key) => a.metadata.annotations?.[key] === b.metadata.annotations?.[key],
    )
  )
}

/** A drain may wait for a turn of its pool. */
const hasOtherTurns = (change: Change<MachineConfigPool>): boolean =>
  change.type !== 'updated' || turnsText(change.before) !== turnsText(change.object)

const noKeys = (): string[] => []
