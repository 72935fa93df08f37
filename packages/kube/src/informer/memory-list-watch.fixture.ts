import type { Clock } from '@machinist/core/clock'
import type { KubeObject } from '@machinist/core/objects/resource'
import { keyOf, keyText } from '@machinist/core/objects/resource'
import { ApiFailure, ConnectionFailure } from '../failure.ts'
import type { RequestLine } from '../failure.ts'
import type { ListOptions, ListWatch, Page, WatchEvent, WatchOptions } from '../list-watch.ts'

/** Where a fault is injected: before a list, before a later page, when a watch opens, or after an event. */
export type FaultPlace = 'list' | 'page' | 'watch' | 'event'
export type Fault =
  | 'cut' // the connection breaks
  | 'end' // the server closes the stream as at its timeout
  | 'silence' // a half-open connection: no more data
  | 'replay' // an earlier event is sent again
  | 'hang' // no response until the client aborts
  | 400
  | 401
  | 403
  | 404
  | 410
  | 429
  | 500
  | 503
  | 504

interface Entry<T extends KubeObject> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly object: T
}

type Request =
  | { readonly verb: 'list'; readonly options: ListOptions; readonly at: number }
  | { readonly verb: 'watch'; readonly options: WatchOptions; readonly at: number }

const bookmarkMs = 60_000

/**
 * One resource of an API server, in memory: versions, paging, watches with bookmarks and timeouts, compaction, and injected
 * faults. Uses only its clock for time.
 */
export class MemoryListWatch<T extends KubeObject = KubeObject> implements ListWatch<T> {
  readonly requests: Request[] = []
  /** Called at every place where a fault can be injected. */
  fault: (place: FaultPlace) => Fault | undefined = () => undefined
  /** Added to error responses, as from overloaded servers. */
  retryAfterSeconds: number | undefined
  /** Whether bookmarks are sent; some servers send none. */
  bookmarks = true

  readonly #clock: Clock
  readonly #objects = new Map<string, T>()
  readonly #history: Entry<T>[] = []
  readonly #snapshots = new Map<number, T[]>()
  readonly #wakers = new Set<() => void>()
  #compacted = 0
  #uids = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get version(): number {
    return this.#history.length
  }

  /** Creates or changes an object. */
  put(object: T): T {
    const key = keyText(keyOf(object))
    const before = this.#objects.get(key)
    const stored = copied(object)
    stored.metadata.uid = before?.metadata.uid ?? `uid-${++this.#uids}`
    this.#record(before ? 'MODIFIED' : 'ADDED', stored)
    this.#objects.set(key, stored)
    return copied(stored)
  }

  remove(key: string): void {
    const before = this.#objects.get(key)
    if (!before) return
    this.#objects.delete(key)
    this.#record('DELETED', copied(before))
  }

  state(): T[] {
    return copied([...this.#objects.values()])
  }

  /** Drops the history: clients that are behind must list again. */
  compact(): void {
    this.#compacted = this.version
    this.#snapshots.clear()
  }

  count(verb: 'list' | 'watch'): number {
    return this.requests.filter((request) => request.verb === verb).length
  }

  async list(options: ListOptions, signal: AbortSignal): Promise<Page<T>> {
    this.requests.push({ verb: 'list', options, at: this.#clock.elapsed() })
    const request = { method: 'GET', path: '/api/v1/things' }
    await this.#injectFault(
      this.fault(options.continue === undefined ? 'list' : 'page'),
      request,
      signal,
    )
    const [version, start] = this.#position(options.continue)
    const all = this.#snapshot(version, request)
    const end = options.limit === undefined ? all.length : start + options.limit
    return {
      items: copied(all.slice(start, end)),
      resourceVersion: String(version),
      ...(end < all.length && { continue: `${version}:${end}` }),
    }
  }

  async *watch(options: WatchOptions, signal: AbortSignal): AsyncGenerator<WatchEvent<T>> {
    this.requests.push({ verb: 'watch', options, at: this.#clock.elapsed() })
    const request = { method: 'GET', path: '/api/v1/things?watch=true' }
    const opening = this.fault('watch')
    if (opening === 'end') return
    if (opening !== 'silence') await this.#injectFault(opening, request, signal)
    yield* this.#stream(options, request, signal, opening === 'silence')
  }

  async *#stream(
    options: WatchOptions,
    request: RequestLine,
    signal: AbortSignal,
    startsSilent: boolean,
  ): AsyncGenerator<WatchEvent<T>> {
    const timing = new StreamTiming(this.#clock, options)
    let cursor = Number(options.resourceVersion)
    let isSilent = startsSilent
    while (!signal.aborted && !timing.isOver) {
      if (timing.isIdle) throw new ConnectionFailure(request, 'no data for too long')
      // A real server closes watches that are this far behind.
      if (cursor < this.#compacted) throw failure(request, 410)
      const entry = isSilent ? undefined : this.#history[cursor]
      if (entry) {
        cursor += 1
        timing.sent()
        yield copied(entry)
        const fault = this.fault('event')
        if (fault === 'end') return
        if (fault === 'silence') isSilent = true
        else if (fault === 'replay') yield this.#replay(cursor)
        else await this.#injectFault(fault, request, signal)
      } else if (!isSilent && this.bookmarks && options.bookmarks && timing.bookmarkDue) {
        timing.sent()
        yield { type: 'BOOKMARK', resourceVersion: String(cursor) }
      } else {
        await this.#wake(timing.nextMs(), signal)
      }
    }
  }

  /** An earlier event of the history, as from a proxy that replays its buffer. */
  #replay(cursor: number): WatchEvent<T> {
    const back = Math.max(0, cursor - 1 - (cursor % 7))
    return copied(this.#history[back]!)
  }

  #record(type: Entry<T>['type'], object: T): void {
    object.metadata.resourceVersion = String(this.version + 1)
    this.#history.push({ type, object })
    for (const wake of Array.from(this.#wakers)) wake()
  }

  #position(token: string | undefined): [version: number, start: number] {
    if (token === undefined) return [this.version, 0]
    const [version, start] = token.split(':').map(Number)
    return [version!, start!]
  }

  #snapshot(version: number, request: RequestLine): T[] {
    if (version === this.version) this.#snapshots.set(version, this.state())
    const snapshot = this.#snapshots.get(version)
    if (!snapshot) throw failure(request, 410)
    return snapshot
  }

  async #injectFault(
    fault: Fault | undefined,
    request: RequestLine,
    signal: AbortSignal,
  ): Promise<void> {
    if (fault === undefined || fault === 'replay' || fault === 'end' || fault === 'silence') return
    if (fault === 'cut') throw new ConnectionFailure(request, 'socket hang up')
    if (fault === 'hang') {
      while (!signal.aborted) await this.#wake(600_000, signal)
      throw new ConnectionFailure(request, 'aborted', { cause: signal.reason })
    }
    throw failure(request, fault, this.retryAfterSeconds)
  }

  #wake(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        cancel()
        this.#wakers.delete(wake)
        signal.removeEventListener('abort', wake)
        resolve()
      }
      const cancel = this.#clock.after(ms, wake)
      this.#wakers.add(wake)
      signal.addEventListener('abort', wake, { once: true })
      if (signal.aborted) wake()
    })
  }
}

class StreamTiming {
  readonly #clock: Clock
  readonly #end: number
  readonly #idleMs: number
  #lastByte: number

  constructor(clock: Clock, options: WatchOptions) {
    this.#clock = clock
    this.#lastByte = clock.elapsed()
    this.#end = clock.elapsed() + (options.timeoutSeconds ?? 1800) * 1000
    this.#idleMs = options.idleMs ?? Infinity
  }

  get isOver(): boolean {
    return this.#clock.elapsed() >= this.#end
  }

  get isIdle(): boolean {
    return this.#clock.elapsed() - this.#lastByte >= this.#idleMs
  }

  get bookmarkDue(): boolean {
    return this.#clock.elapsed() - this.#lastByte >= bookmarkMs
  }

  sent(): void {
    this.#lastByte = this.#clock.elapsed()
  }

  nextMs(): number {
    const now = this.#clock.elapsed()
    const due = [this.#end, this.#lastByte + this.#idleMs, this.#lastByte + bookmarkMs]
    return Math.min(...due.filter((at) => at > now)) - now
  }
}

const reasons: Record<number, string> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  410: 'Expired',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
}

function failure(request: RequestLine, code: number, retryAfterSeconds?: number): ApiFailure {
  const causes =
    code === 504 ? { causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large' }] } : {}
  const after = retryAfterSeconds === undefined ? {} : { retryAfterSeconds }
  const reason = reasons[code] ?? ''
  return new ApiFailure(request, code, {
    code,
    reason,
    message: `refused with ${code} ${reason}`,
    details: { ...causes, ...after },
  })
}

/** A copy as over the wire; much faster than structuredClone. */
const copied = <V>(value: V): V => JSON.parse(JSON.stringify(value)) as V
