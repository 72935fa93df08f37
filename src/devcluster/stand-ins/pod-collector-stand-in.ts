import type { KubeObject } from '@machinist/core/objects/resource'
import { keyOf, keyText } from '@machinist/core/objects/resource'
import type { Controller } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { settled } from '@machinist/kube/controller/outcome'
import type { Informer } from '@machinist/kube/informer/informer'
import type { Node, Pod } from '@machinist/kube/kinds/core'
import { pods } from '@machinist/kube/kinds/core'
import { nodeExists } from '../objects/node-exists.ts'
import type { DevclusterTools } from '../objects/tools.ts'
import { ignoreGone } from '../objects/ignore-gone.ts'
import { byNode } from './stand-in-caches.ts'

type PodCollectorCache<T extends KubeObject> = Pick<
  Informer<T>,
  'get' | 'byIndex' | 'synced' | 'subscribe'
>

/** The pod garbage collector: deletes the pods of deleted nodes, because no kubelet can terminate them. */
export function podCollectorStandIn(
  { client }: Pick<DevclusterTools, 'client'>,
  caches: { readonly pods: PodCollectorCache<Pod>; readonly nodes: PodCollectorCache<Node> },
): Controller {
  return {
    name: 'pod-collector-stand-in',
    inputs: [
      input({ resource: 'Pod', informer: caches.pods }),
      input({
        resource: 'Node',
        informer: caches.nodes,
        keys: ({ type, object }) =>
          type === 'deleted'
            ? caches.pods.byIndex(byNode, object.metadata.name).map((pod) => keyText(keyOf(pod)))
            : [],
      }),
    ],
    outputs: ['Pod'],
    async reconcile(key, { signal }): Promise<Outcome> {
      const pod = caches.pods.get(key)
      const node = pod?.spec?.nodeName
      if (!pod || !node || caches.nodes.get(node)) return settled
      // A new Node may not be in the cache yet.
      if (await nodeExists(client, node)) return settled
      const { uid } = pod.metadata
      const call = { graceSeconds: 0, ...(uid !== undefined && { uid }), signal }
      await ignoreGone(client.remove(pods, keyOf(pod), call))
      return settled
    },
  }
}
