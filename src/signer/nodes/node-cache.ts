import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import type { Startable } from '@machinist/kube/controller/controller-set'
import { Informer } from '@machinist/kube/informer/informer'
import type { Node } from '@machinist/kube/kinds/core'
import { nodes } from '@machinist/kube/kinds/core'
import { nodeLabels } from '../../api/labels.ts'
import { namesOf } from './node-names.ts'

/** The tools of the signer's informers. */
export type CacheContext = Omit<ControllerContext, 'events'>

/** The index of Nodes by the names and addresses in their status. */
export const nodeNameIndex = 'name'

/** The informer of Nodes that rotations and requests share; `keep` starts it. */
export function nodeInformer(
  { client, ...tools }: CacheContext,
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
