import { keyText } from '@machinist/core/objects/resource'
import { nodeNameIndex } from '../nodes/node-cache.ts'
import { canonicalAddress } from '../nodes/node-names.ts'
import type { AccessReviews } from './access-review.ts'
import { apiServiceKey } from './caches.ts'
import type { Claim } from './claim.ts'
import type { RequestFacts, Sharer } from './facts.ts'
import type { RequestCaches } from './inputs.ts'
import type { RequestRegister } from './register.ts'

export interface RequestSources {
  readonly caches: RequestCaches
  readonly register: RequestRegister
  readonly reviews: AccessReviews
}

/** Undefined if the request does not exist, or is decided. */
export function gather(
  name: string,
  { caches, register, reviews }: RequestSources,
  now: number,
): RequestFacts | undefined {
  const entry = register.get(name)
  if (!entry?.isPending) return undefined
  const { request, reading, createdAt } = entry
  const claim = 'check' in reading ? undefined : reading
  const isAllowed = reviews.take(request)
  return {
    request,
    reading,
    createdAt,
    now,
    ...countRequests({ caches, register }, now),
    newer: register.newerThan(entry, now)?.name,
    node: claim && caches.nodes.get(claim.node),
    sharers: claim?.kind === 'serving' ? sharersOf(claim, caches) : [],
    ...(isAllowed !== undefined && { isAllowed }),
  }
}

export const countRequests = (
  { caches, register }: Pick<RequestSources, 'caches' | 'register'>,
  now: number,
): Pick<RequestFacts, 'waiting' | 'nodes'> => ({
  waiting: register.waiting(now),
  nodes: caches.nodes.size,
})

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
