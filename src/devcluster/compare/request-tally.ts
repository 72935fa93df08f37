import type { AuditedRequest } from '@machinist/apiserver/http/messages/audit'
import type { Requests } from '../../views/compare/facts.ts'

export interface RequestTally {
  /** By the node whose daemon sent the requests. */
  readonly byNode: ReadonlyMap<string, Requests>
  readonly controllerConfigWrites: number
  readonly evictions: number
}

/** An interval in milliseconds since the epoch. */
export interface Span {
  readonly from: number
  readonly until: number
}

/** Pure: counts the requests of an interval. Watches are not counted: they are restarted independently of the rotation. */
export function tallyRequests(requests: readonly AuditedRequest[], span: Span): RequestTally {
  const during = requests.filter(
    ({ receivedAt, verb }) =>
      span.from <= receivedAt && receivedAt <= span.until && verb !== 'watch',
  )
  const byNode = new Map<string, Requests>()
  for (const request of during) {
    const node = callerOf(request)
    if (node === undefined) continue
    const { reads, writes } = byNode.get(node) ?? { reads: 0, writes: 0 }
    const isRead = readVerbs.has(request.verb)
    byNode.set(node, { reads: reads + Number(isRead), writes: writes + Number(!isRead) })
  }
  const stored = during.filter(({ verb, code }) => !readVerbs.has(verb) && code < 300)
  return {
    byNode,
    controllerConfigWrites: stored.filter(({ object }) => object?.resource === 'controllerconfigs')
      .length,
    evictions: stored.filter(({ object }) => object?.subresource === 'eviction').length,
  }
}

/** The node whose daemon sent the request, from its user agent. */
export function callerOf({ userAgent }: Pick<AuditedRequest, 'userAgent'>): string | undefined {
  return /^machinist\/\S+ \(([^()]+)\)$/.exec(userAgent)?.[1]
}

const readVerbs = new Set(['get', 'list'])
