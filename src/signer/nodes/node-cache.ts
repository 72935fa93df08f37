import { nodeLabels } from '../../api/labels.ts'
import type { Clock } from '@machinist/core/clock'
import type { Logger } from '@machinist/core/log'
import type { Metrics } from '@machinist/core/metrics'
import type { Random } from '@machinist/core/random'
import type { KubeClient } from '@machinist/kube/client/client'
import type { Startable } from '@machinist/kube/controller/controller-set'
import { Informer } from '@machinist/kube/informer/informer'
import type { Node } from '@machinist/kube/kinds/core'
import { nodes } from '@machinist/kube/kinds/core'
import { namesOf } from './node-names.ts'

/** The dependencies of the signer's informers. */
export interface CacheOptions {
  readonly client: KubeClient
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Metrics
}

/** The index of Nodes by the names and addresses in their status. */
export const nodeNameIndex = 'name'

/** The informer of Nodes that rotations and requests share; `keep` starts it. */
export function nodeInformer(
  { client, ...tools }: CacheOptions,
  keep: (informer: Startable) => void,
): Informer<Node> {
  const informer = new Informer<Node>({
    ...tools,
    resource: nodes.plural,
    source: client.listWatch(nodes),
    transform: trimNode,
    indexes: { [nodeNameIndex]: namesOf },
  })
  keep(informer)
  return informer
}

/** Keeps the identity, the addresses, the readiness and the OS of a Node. */
export function trimNode({ metadata, status }: Node): Node {
  const { name, uid, resourceVersion, creationTimestamp, labels } = metadata
  const os = labels?.[nodeLabels.os]
  const { addresses, conditions } = status ?? {}
  const ready = conditions?.find(({ type }) => type === 'Ready')
  return {
    metadata: {
      name,
      ...(uid && { uid }),
      ...(resourceVersion && { resourceVersion }),
      ...(creationTimestamp && { creationTimestamp }),
      ...(os && { labels: { [nodeLabels.os]: os } }),
    },
    status: { ...(addresses && { addresses }), conditions: ready ? [withoutText(ready)] : [] },
  }
}

type NodeCondition = NonNullable<NonNullable<Node['status']>['conditions']>[number]

function withoutText(condition: NodeCondition): NodeCondition {
  const { message: _, reason: __, ...kept } = condition
  return kept
}
