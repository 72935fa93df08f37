import type { KubeObject } from '@machinist/core/resource'
import { keyOf, keyText } from '@machinist/core/resource'
import type { Controller } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { settled } from '@machinist/kube/controller/outcome'
import type { Informer } from '@machinist/kube/informer/informer'
import type { Node, Pod } from '@machinist/kube/kinds/core'
import { pods } from '@machinist/kube/kinds/core'
import { nodeExists } from '../nodes/node-object.ts'
import type { Tools } from './stand-in-caches.ts'
import { byNode } from './stand-in-caches.ts'
import { unlessGone } from './unless-gone.ts'

type Seen<T extends KubeObject> = Pick<Informer<T>, 'get' | 'byIndex' | 'synced' | 'subscribe'>

/** What Kubernetes' pod garbage collector does: pods go with their node, for nobody is left to end them. */
export function podCollectorStandIn(
  { client }: Pick<Tools, 'client'>,
  caches: { readonly pods: Seen<Pod>; readonly nodes: Seen<Node> },
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
      // It may be so new that it is not in the cache yet.
      if (await nodeExists(client, node)) return settled
      const { uid } = pod.metadata
      const call = { graceSeconds: 0, ...(uid !== undefined && { uid }), signal }
      await unlessGone(client.remove(pods, keyOf(pod), call))
      return settled
    },
  }
}
