import { keyText } from '@machinist/core/objects/resource'
import { nodeNameIndex } from '../nodes/node-cache.ts'
import type { RequestCaches } from './caches.ts'
import { apiServiceKey } from './caches.ts'
import type { Claim } from './claim.ts'
import type { RequestFacts, Sharer } from './decide.ts'
import { canonicalAddress } from '../nodes/node-names.ts'
import type { RegisteredRequest, RequestRegister } from './register.ts'

/** Gathers the facts of a request from the caches. */
export function gather(
  entry: RegisteredRequest,
  register: RequestRegister,
  caches: RequestCaches,
  now: number,
): RequestFacts {
  const { reading, createdAt } = entry
  const claim = 'check' in reading ? undefined : reading
  return {
    reading,
    createdAt,
    now,
    waiting: register.waiting(now),
    nodes: caches.nodes.size,
    newer: register.newerThan(entry, now)?.name,
    node: claim && caches.nodes.get(claim.node),
    sharers: claim?.kind === 'serving' ? sharersOf(claim, caches) : [],
  }
}

/** Other owners of the names that this node requests. */
function sharersOf({ node, names }: Claim, { nodes, apiService }: RequestCaches): Sharer[] {
  const { clusterIP, clusterIPs = [] } = apiService.get(apiServiceKey)?.spec ?? {}
  const ofApi = new Set([clusterIP ?? '', ...clusterIPs].map(canonicalAddress))
  return names.flatMap((name): Sharer[] => {
    if (ofApi.has(name)) return [{ name, owner: `Service ${keyText(apiServiceKey)}` }]
    const other = nodes.byIndex(nodeNameIndex, name).find(({ metadata }) => metadata.name !== node)
    return other ? [{ name, owner: `Node ${other.metadata.name}` }] : []
  })
}
