import { keyText } from '@machinist/core/resource'
import { nodeName } from '../node-cache.ts'
import type { RequestCaches } from './caches.ts'
import { apiServiceKey } from './caches.ts'
import type { Claim } from './claim.ts'
import type { Facts, Sharer } from './decide.ts'
import { canonicalAddress } from './node-names.ts'
import type { Entry, Register } from './register.ts'

/** All from the caches. */
export function gather(
  entry: Entry,
  register: Register,
  caches: RequestCaches,
  now: number,
): Facts {
  const { reading, createdAt } = entry
  const claim = 'rule' in reading ? undefined : reading
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

/** Who else has a name that this node asks for. */
function sharersOf({ node, names }: Claim, { nodes, apiService }: RequestCaches): Sharer[] {
  const { clusterIP, clusterIPs = [] } = apiService.get(apiServiceKey)?.spec ?? {}
  const ofApi = new Set([clusterIP ?? '', ...clusterIPs].map(canonicalAddress))
  return names.flatMap((name): Sharer[] => {
    if (ofApi.has(name)) return [{ name, owner: `Service ${keyText(apiServiceKey)}` }]
    const other = nodes.byIndex(nodeName, name).find(({ metadata }) => metadata.name !== node)
    return other ? [{ name, owner: `Node ${other.metadata.name}` }] : []
  })
}
