import type { CertificateSigningRequest } from '@machinist/kube/kinds/certificates'
import { Heap } from '@machinist/kube/queue/heap'
import type { Claim } from './claim.ts'
import { readClaim } from './claim.ts'
import { aheadMs, oldestMs } from './limits.ts'
import type { Refusal } from './rules.ts'

export interface Entry {
  readonly name: string
  readonly reading: Claim | Refusal
  readonly createdAt: number
  request: Readonly<CertificateSigningRequest>
  isPending: boolean
}

/**
 * The requests that there are, each read once, in the order in which decisions need them. Every change costs the same
 * however many there are.
 */
export class Register {
  readonly #entries = new Map<string, Entry>()
  /** Those for the same certificate of the same node, newest first, whatever became of them. */
  readonly #rivals = new Map<string, Heap<Entry>>()
  /** Names of requests that wait, by node. */
  readonly #waiting = new Map<string, Set<string>>()
  /** Of those that wait: the ones that time has not passed by, oldest first, and the others, newest first. */
  readonly #fresh = new Heap<Entry>(isOlder)
  readonly #stale = new Heap<Entry>((a, b) => isOlder(b, a))

  get(name: string): Entry | undefined {
    return this.#entries.get(name)
  }

  /** What a request asks for never changes; what became of it does. */
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

  /** A newer request for the same. One from the future does not count: it would be the newest until its time has come. */
  newerThan(entry: Entry, now: number): Entry | undefined {
    const rivals = this.#rivals.get(groupOf(entry) ?? '')
    if (!rivals) return undefined
    const isAhead = (one: Entry): boolean => one.createdAt > now + aheadMs
    const ahead: Entry[] = []
    for (let first = rivals.first; first && isAhead(first); first = rivals.first) {
      ahead.push(rivals.pop()!)
    }
    const newest = rivals.first
    for (const one of ahead) rivals.push(one)
    return newest && isOlder(entry, newest) ? newest : undefined
  }

  /** Whose certificate waits for something that the node may change. */
  waitingFor(node: string): Iterable<string> {
    return this.#waiting.get(node) ?? []
  }

  /** How many wait that time has not passed by. A clock may also go back. */
  waiting(now: number): number {
    const isStale = ({ createdAt }: Entry): boolean => now - createdAt > oldestMs
    while (this.#fresh.first && isStale(this.#fresh.first)) this.#stale.push(this.#fresh.pop()!)
    while (this.#stale.first && !isStale(this.#stale.first)) this.#fresh.push(this.#stale.pop()!)
    return this.#fresh.size
  }

  #mark(entry: Entry, pending: boolean): void {
    if (entry.isPending === pending) return
    entry.isPending = pending
    const { name, reading } = entry
    if (pending) this.#fresh.push(entry)
    else for (const heap of [this.#fresh, this.#stale]) heap.remove(entry)
    if ('rule' in reading) return
    const names = this.#waiting.get(reading.node) ?? new Set()
    if (pending) names.add(name)
    else names.delete(name)
    if (names.size > 0) this.#waiting.set(reading.node, names)
    else this.#waiting.delete(reading.node)
  }

  #rivalsOf(entry: Entry): Heap<Entry> | undefined {
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

/** Who may not ask for a node is nobody's rival, and a bootstrapper is not the rival of the node itself. */
function groupOf({ reading }: Entry): string | undefined {
  return 'rule' in reading ? undefined : `${reading.kind}/${reading.node}`
}

/** Exactly one of several is the newest, also within one second. */
function isOlder(a: Entry, b: Entry): boolean {
  return a.createdAt === b.createdAt ? a.name < b.name : a.createdAt < b.createdAt
}
