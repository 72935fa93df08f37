import type { StepContext } from '@machinist/kube/controller/step-controller'
import { ignoreNotFound } from '@machinist/kube/failure'
import { nodes } from '@machinist/kube/kinds/core'
import { poolOf, selectionOf } from '../../fleet/pools/pool-of-node.ts'
import { isFromFormerNode } from './decide.ts'
import type { MachineConfigNodeFacts } from './facts.ts'
import type { MachineConfigNodeCaches } from './inputs.ts'

/** The facts about one node, also if it does not exist: its MachineConfigNode may remain. */
export async function gather(
  name: string,
  caches: MachineConfigNodeCaches,
  { client, signal }: Pick<StepContext, 'client' | 'signal'>,
): Promise<MachineConfigNodeFacts> {
  const found = caches.machineConfigNodes.get(name)
  const cached = caches.nodes.get(name)
  // A daemon may report before the cache has its Node, so the API server is asked before anything is deleted.
  const isUncertain = found && (!cached || isFromFormerNode(found, cached))
  const node = isUncertain ? await ignoreNotFound(client.get(nodes, { name }, { signal })) : cached
  const pool = node && poolOf(node, caches.pools.list().map(selectionOf))
  return { name, node, pool, found }
}
