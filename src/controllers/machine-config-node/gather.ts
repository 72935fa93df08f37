import type { MachineConfigNode, MachineConfigPool } from '../../api/kinds/resources.ts'
import type { KubeClient } from '@machinist/kube/client/client'
import { ignoreNotFound } from '@machinist/kube/failure'
import type { Informer } from '@machinist/kube/informer/informer'
import type { Node } from '@machinist/kube/kinds/core'
import { nodes } from '@machinist/kube/kinds/core'
import { poolOf, selectionOf } from '../../fleet/pools/pool-of-node.ts'
import type { MachineConfigNodeFacts } from './decide.ts'
import { isFromFormerNode } from './decide.ts'

/** The informers may be shared with other controllers. */
export interface MachineConfigNodeCaches {
  readonly nodes: Informer<Node>
  readonly pools: Informer<MachineConfigPool>
  readonly machineConfigNodes: Informer<MachineConfigNode>
}

/** All facts about one node. */
export async function gather(
  caches: MachineConfigNodeCaches,
  client: KubeClient,
  name: string,
  signal: AbortSignal,
): Promise<MachineConfigNodeFacts> {
  const found = caches.machineConfigNodes.get(name)
  const cached = caches.nodes.get(name)
  // A daemon may report before the cache has its Node, so the API server is asked before anything is deleted.
  const isUncertain = found && (!cached || isFromFormerNode(found, cached))
  const node = isUncertain ? await ignoreNotFound(client.get(nodes, { name }, { signal })) : cached
  const pool = node && poolOf(node, caches.pools.list().map(selectionOf))
  return { node, pool, found }
}
