import { ConnectionFailure } from '@machinist/kube/failure'
import type { StreamRequest } from '@machinist/kube/transport/transport'
import { requestLine } from '@machinist/kube/transport/transport'
import type { Change } from './api/memory-api.ts'
import { selection } from './api/memory-api.ts'
import { placeOf } from './api/place.ts'
import { expired, notFound, Refused } from './api/refused.ts'
import { bookmarkLine, errorLine, eventLine, wantsMetadata } from './api/wire.ts'
import type { LinkOptions } from './link.ts'
import { failureFor } from './link.ts'
import { never } from './process.ts'

type End = { readonly error?: Error }

/** One watch: events that the server sends, and when they arrive. */
export class WatchLink {
  readonly #request: StreamRequest
  readonly #options: LinkOptions
  readonly #arrived: Uint8Array[] = []
  #end: End | undefined
  #wake = (): void => {}
  #heardAt = 0
  /** Events of one connection stay in order. */
  #lastDue = 0
  /** Events in flight, including the end of the stream. */
  #underway = 0
  #isOpen = true
  /** The server has responded. */
  #isServed = false
  /** Events are lost without an error. */
  #isMute = false
  #unfollow = (): void => {}
  readonly #cancels = new Set<() => void>()

  constructor(request: StreamRequest, options: LinkOptions) {
    this.#request = request
    this.#options = options
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    const { signal } = this.#request
    if (!this.#options.process.isAlive) return never()
    const abort = (): void => this.#over({})
    signal?.addEventListener('abort', abort, { once: true })
    if (signal?.aborted) abort()
    else this.#begin()
    const forget = this.#options.process.whenKilled(() => this.#close())
    try {
      for (;;) {
        const chunk = this.#arrived.shift()
        if (chunk) yield chunk
        else if (this.#end) break
        else await new Promise<void>((resolve) => (this.#wake = resolve))
      }
      if (this.#end.error) throw this.#end.error
    } finally {
      signal?.removeEventListener('abort', abort)
      forget()
      this.#close()
    }
  }

  #begin(): void {
    const { clock, network } = this.#options
    this.#heardAt = clock.elapsed()
    this.#watchdog()
    const fate = network.request()
    this.#later(fate.travelMs + fate.answerMs, () => {
      if (!this.#reaches() || fate.loseAnswer) return
      if (fate.refuse !== undefined) return this.#over({ error: this.#lost('cut when it began') })
      this.#serve()
    })
  }

  /** The server side. */
  #serve(): void {
    const { api } = this.#options
    const { query = {} } = this.#request
    const place = placeOf(this.#request)
    const metadataOnly = wantsMetadata(this.#request.accept)
    const isMeant = place && selection(place, query)
    const send = (change: Change): void => {
      if (!place || change.resource !== place.resource) return
      const { object, before, type } = change
      const is = type !== 'DELETED' && isMeant!(object)
      const was = before !== undefined && isMeant!(before)
      if (is) this.#event(eventLine(was ? 'MODIFIED' : 'ADDED', object, metadataOnly))
      else if (was) this.#event(eventLine('DELETED', object, metadataOnly))
    }
    try {
      if (!place || api.absentGroups.has(place.group)) throw notFound(this.#request.path)
      for (const change of api.since(Number(query['resourceVersion'] ?? 0))) send(change)
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      if (error.status.code !== 410) return this.#over({ error: failureFor(this.#request, error) })
      this.#deliver(errorLine(error.status), 0)
      return this.#finish(0)
    }
    this.#isServed = true
    const unfollow = api.follow(send)
    const cut = (): void => this.#finish(0, this.#lost('the API server was stopped'))
    const forget = api.followRestores(cut)
    this.#unfollow = () => {
      unfollow()
      forget()
    }
    const seconds = Number(query['timeoutSeconds'] ?? 3600)
    this.#later(seconds * 1000, () => this.#finish(0))
  }

  #event(line: string): void {
    const fate = this.#options.network.event()
    switch (fate.type) {
      case 'delivered':
        for (let i = 0; i < fate.times; i++) this.#deliver(line, fate.lateMs)
        return
      case 'torn':
        this.#deliver(line.slice(0, line.length >> 1), 0)
        return this.#finish(0)
      case 'cut':
        return this.#finish(0, this.#lost('the connection was cut'))
      case 'silent':
        return this.#mute()
      case 'ended':
        return this.#finish(0)
      case 'expired':
        this.#deliver(errorLine(expired().status), 0)
        return this.#finish(0)
    }
  }

  #deliver(line: string, lateMs: number): void {
    this.#underway += 1
    this.#later(this.#dueIn(lateMs), () => {
      this.#underway -= 1
      if (!this.#reaches()) this.#mute()
      if (!this.#isMute) this.#arrive(line)
    })
  }

  #mute(): void {
    this.#isMute = true
    this.#unfollow()
  }

  /** Ends the stream after the events in flight. */
  #finish(lateMs: number, error?: Error): void {
    this.#unfollow()
    this.#underway += 1
    this.#later(this.#dueIn(lateMs), () => this.#over(error ? { error } : {}))
  }

  #dueIn(lateMs: number): number {
    const now = this.#options.clock.elapsed()
    this.#lastDue = Math.max(this.#lastDue, now + 1 + lateMs)
    return this.#lastDue - now
  }

  /**
   * A server sends bookmarks periodically, so that silence means a lost connection. This simulation sends one only just before the idle
   * timeout: components behave the same, and idle hours are much cheaper.
   */
  #watchdog(): void {
    const { clock } = this.#options
    const { idleMs } = this.#request
    if (idleMs === undefined) return
    const now = clock.elapsed()
    if (this.#heardAt + idleMs <= now) {
      const isLost = !this.#isServed || this.#isMute || !this.#reaches()
      if (isLost) return this.#over({ error: this.#lost('not a byte came') })
      // Events in flight come first, also for a process that was frozen.
      if (this.#underway === 0) this.#arrive(bookmarkLine(this.#options.api.version))
    }
    const due = Math.max(this.#heardAt + idleMs, this.#lastDue)
    // At least 1 ms: a smaller delay may be rounded to zero.
    this.#later(Math.max(due - now, 1), () => this.#watchdog())
  }

  #arrive(line: string): void {
    this.#heardAt = this.#options.clock.elapsed()
    this.#arrived.push(Buffer.from(line))
    this.#wake()
  }

  #reaches(): boolean {
    const { network, place } = this.#options
    return network.reaches(place)
  }

  #later(ms: number, task: () => void): void {
    const { process } = this.#options
    const cancel = process.after(ms, () => {
      this.#cancels.delete(cancel)
      if (this.#isOpen) task()
    })
    this.#cancels.add(cancel)
  }

  #over(end: End): void {
    this.#end ??= end
    this.#close()
    this.#wake()
  }

  #close(): void {
    this.#isOpen = false
    this.#unfollow()
    for (const cancel of this.#cancels) cancel()
    this.#cancels.clear()
  }

  #lost(why: string): ConnectionFailure {
    return new ConnectionFailure(requestLine(this.#request), why)
  }
}
