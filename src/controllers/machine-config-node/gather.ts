import type { MachineConfigNode, MachineConfigPool } from '../../api/resources.ts'
import type { KubeClient } from '@machinist/kube/client'
import { ifThere } from '@machinist/kube/failure'
import type { Informer } from '@machinist/kube/informer/informer'
import type { Node } from '@machinist/kube/kinds/core'
import { nodes } from '@machinist/kube/kinds/core'
import { poolOf, selectionOf } from '../../fleet/pools/pool-of-node.ts'
import type { Facts } from './decide.ts'
import { isOfAnother } from './decide.ts'

/** What it follows; the informers may be shared with others. */
export interface MachineConfigNodeCaches {
  readonly nodes: Informer<Node>
  readonly pools: Informer<MachineConfigPool>
  readonly machineConfigNodes: Informer<MachineConfigNode>
}

/** Everything about one node. */
export async function gather(
  caches: MachineConfigNodeCaches,
  client: KubeClient,
  name: string,
  signal: AbortSignal,
): Promise<Facts> {
  const found = caches.machineConfigNodes.get(name)
  const cached = caches.nodes.get(name)
  // A daemon may have told of a node that this cache has not heard of yet. Before anything is removed, the server is asked.
  const isDoubtful = found && (!cached || isOfAnother(found, cached))
  const node = isDoubtful ? await ifThere(client.get(nodes, { name }, { signal })) : cached
  const pool = node && poolOf(node, caches.pools.list().map(selectionOf))
  return { node, pool, found }
}
