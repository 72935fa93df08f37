import type { CertificateSigningRequest } from '@machinist/kube/kinds/certificates'
import { Heap } from '@machinist/kube/queue/heap'
import type { Claim } from './claim.ts'
import { readClaim } from './claim.ts'
import { maxClockSkewMs, maxAgeMs } from './limits.ts'
import type { Refusal } from './refusals.ts'

export interface RegisteredRequest {
  readonly name: string
  readonly reading: Claim | Refusal
  readonly createdAt: number
  request: Readonly<CertificateSigningRequest>
  isPending: boolean
}

/**
 * All requests, each parsed once, in the orders that decisions need. The cost of a change does not depend on the number of
 * requests.
 */
export class RequestRegister {
  readonly #entries = new Map<string, RegisteredRequest>()
  /** Requests for the same certificate of the same node, newest first, also decided ones. */
  readonly #rivals = new Map<string, Heap<RegisteredRequest>>()
  /** Names of pending requests, by node. */
  readonly #waiting = new Map<string, Set<string>>()
  /** Pending requests below the age limit, oldest first, and above it, newest first. */
  readonly #fresh = new Heap<RegisteredRequest>(isOlder)
  readonly #stale = new Heap<RegisteredRequest>((a, b) => isOlder(b, a))

  get(name: string): RegisteredRequest | undefined {
    return this.#entries.get(name)
  }

  /** The content of a request never changes; its conditions do. */
  put(request: Readonly<CertificateSigningRequest>): void {
    const { name, creationTimestamp = '' } = request.metadata
    let entry = this.#entries.get(name)
    if (entry) {
      entry.request = request
    } else {
      const createdAt = Date.parse(creationTimestamp) || 0
      entry = { name, reading: readClaim(request), createdAt, request, isPending: false }
      this.#entries.set(name, entry)
      this.#rivalsOf(entry)?.push(entry)
    }
    this.#mark(entry, isPending(request))
  }

  remove(name: string): void {
    const entry = this.#entries.get(name)
    if (!entry) return
    this.#mark(entry, false)
    this.#entries.delete(name)
    const rivals = this.#rivalsOf(entry)
    rivals?.remove(entry)
    if (rivals?.size === 0) this.#rivals.delete(groupOf(entry)!)
  }

  /** A newer request for the same certificate. One in the future does not count: it would block the others until then. */
  newerThan(entry: RegisteredRequest, now: number): RegisteredRequest | undefined {
    const rivals = this.#rivals.get(groupOf(entry) ?? '')
    if (!rivals) return undefined
    const isAhead = (one: RegisteredRequest): boolean => one.createdAt > now + maxClockSkewMs
    const ahead: RegisteredRequest[] = []
    for (let first = rivals.first; first && isAhead(first); first = rivals.first) {
      ahead.push(rivals.pop()!)
    }
    const newest = rivals.first
    for (const one of ahead) rivals.push(one)
    return newest && isOlder(entry, newest) ? newest : undefined
  }

  /** Names of the pending requests of a node. */
  waitingFor(node: string): Iterable<string> {
    return this.#waiting.get(node) ?? []
  }

  /** The number of pending requests below the age limit. The clock may go back. */
  waiting(now: number): number {
    const isStale = ({ createdAt }: RegisteredRequest): boolean => now - createdAt > maxAgeMs
    while (this.#fresh.first && isStale(this.#fresh.first)) this.#stale.push(this.#fresh.pop()!)
    while (this.#stale.first && !isStale(this.#stale.first)) this.#fresh.push(this.#stale.pop()!)
    return this.#fresh.size
  }

  #mark(entry: RegisteredRequest, pending: boolean): void {
    if (entry.isPending === pending) return
    entry.isPending = pending
    const { name, reading } = entry
    if (pending) this.#fresh.push(entry)
    else for (const heap of [this.#fresh, this.#stale]) heap.remove(entry)
    if ('check' in reading) return
    const names = this.#waiting.get(reading.node) ?? new Set()
    if (pending) names.add(name)
    else names.delete(name)
    if (names.size > 0) this.#waiting.set(reading.node, names)
    else this.#waiting.delete(reading.node)
  }

  #rivalsOf(entry: RegisteredRequest): Heap<RegisteredRequest> | undefined {
    const group = groupOf(entry)
    if (group === undefined) return undefined
    let rivals = this.#rivals.get(group)
    if (!rivals) {
      rivals = new Heap((a, b) => isOlder(b, a))
      this.#rivals.set(group, rivals)
    }
    return rivals
  }
}

const decided: ReadonlySet<string> = new Set(['Approved', 'Denied', 'Failed'])

function isPending({ status }: Readonly<CertificateSigningRequest>): boolean {
  return !status?.conditions?.some(({ type }) => decided.has(type))
}

/** Refused requests have no rivals, and a request of a bootstrapper is no rival of one of the node itself. */
function groupOf({ reading }: RegisteredRequest): string | undefined {
  return 'check' in reading ? undefined : `${reading.kind}/${reading.node}`
}

/** A total order, so that exactly one request is the newest, even within one second. */
function isOlder(a: RegisteredRequest, b: RegisteredRequest): boolean {
  return a.createdAt === b.createdAt ? a.name < b.name : a.createdAt < b.createdAt
}
