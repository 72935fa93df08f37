import { nodeLabels } from '../api/labels.ts'
import type { Clock } from '@machinist/core/clock'
import type { Logger } from '@machinist/core/log'
import type { Metrics } from '@machinist/core/metrics'
import type { Random } from '@machinist/core/random'
import type { KubeClient } from '@machinist/kube/client'
import type { Startable } from '@machinist/kube/controller/controller-set'
import { Informer } from '@machinist/kube/informer/informer'
import type { Node } from '@machinist/kube/kinds/core'
import { nodes } from '@machinist/kube/kinds/core'
import { namesOf } from './requests/node-names.ts'

/** What whoever follows the cluster needs. */
export interface FollowOptions {
  readonly client: KubeClient
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Metrics
}

/** The index of Nodes by the names and addresses that they say they have. */
export const nodeName = 'name'

/** The Nodes, followed once for all who ask for them; it is handed to `keep` to be started. */
export function followNodes(
  { client, ...tools }: FollowOptions,
  keep: (informer: Startable) => void,
): Informer<Node> {
  const informer = new Informer<Node>({
    ...tools,
    resource: nodes.plural,
    source: client.listWatch(nodes),
    transform: nodeInBrief,
    indexes: { [nodeName]: namesOf },
  })
  keep(informer)
  return informer
}

/** Keeps of a Node who it is, where it is, whether it lives, and whether it is waited for. */
export function nodeInBrief({ metadata, status }: Node): Node {
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
    status: { ...(addresses && { addresses }), conditions: ready ? [withoutWords(ready)] : [] },
  }
}

type NodeCondition = NonNullable<NonNullable<Node['status']>['conditions']>[number]

function withoutWords(condition: NodeCondition): NodeCondition {
  const { message: _, reason: __, ...kept } = condition
  return kept
}
