import { ConnectionFailure } from '../../src/kube/failure.ts'
import type { StreamRequest } from '../../src/kube/transport.ts'
import { askedOf } from '../../src/kube/transport.ts'
import type { Change } from './api/memory-api.ts'
import { selection } from './api/memory-api.ts'
import { placeOf } from './api/place.ts'
import { expired, notFound, Refused } from './api/refused.ts'
import { bookmarkLine, errorLine, eventLine, wantsMetadata } from './api/wire.ts'
import type { LinkOptions } from './link.ts'
import { failureFor } from './link.ts'
import { never } from './process.ts'

const bookmarkMs = 110_000

type End = { readonly error?: Error }

/** One watch: what the server sends, and what of it arrives when. */
export class WatchLink {
  readonly #request: StreamRequest
  readonly #options: LinkOptions
  readonly #arrived: Uint8Array[] = []
  #end: End | undefined
  #wake = (): void => {}
  #heardAt = 0
  /** Nothing overtakes on one connection. */
  #lastDue = 0
  #isOpen = true
  /** What is sent does not arrive any more, and nobody is told. */
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
    const { clock, weather, place } = this.#options
    this.#heardAt = clock.elapsed()
    this.#watchdog()
    const fate = weather.request()
    this.#later(fate.travelMs + fate.answerMs, () => {
      if (!weather.reaches(place) || fate.loseAnswer) return
      if (fate.refuse !== undefined) return this.#over({ error: this.#lost('cut when it began') })
      this.#serve()
    })
  }

  /** The server's side of it. */
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
      if (!place) throw notFound(this.#request.path)
      for (const change of api.since(Number(query['resourceVersion'] ?? 0))) send(change)
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      if (error.status.code !== 410) return this.#over({ error: failureFor(this.#request, error) })
      this.#deliver(errorLine(error.status), 0)
      return this.#finish(0)
    }
    this.#unfollow = api.follow(send)
    this.#bookmark()
    const seconds = Number(query['timeoutSeconds'] ?? 3600)
    this.#later(seconds * 1000, () => this.#finish(0))
  }

  #event(line: string): void {
    const fate = this.#options.weather.event()
    switch (fate.is) {
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

  #bookmark(): void {
    this.#later(bookmarkMs, () => {
      this.#deliver(bookmarkLine(this.#options.api.version), 0)
      this.#bookmark()
    })
  }

  #deliver(line: string, lateMs: number): void {
    const { clock, weather, place } = this.#options
    this.#later(this.#dueIn(lateMs), () => {
      if (!weather.reaches(place)) this.#mute()
      if (this.#isMute) return
      this.#heardAt = clock.elapsed()
      this.#arrived.push(Buffer.from(line))
      this.#wake()
    })
  }

  #mute(): void {
    this.#isMute = true
    this.#unfollow()
  }

  /** After what was sent before. */
  #finish(lateMs: number, error?: Error): void {
    this.#unfollow()
    this.#later(this.#dueIn(lateMs), () => this.#over(error ? { error } : {}))
  }

  #dueIn(lateMs: number): number {
    const now = this.#options.clock.elapsed()
    this.#lastDue = Math.max(this.#lastDue, now + 1 + lateMs)
    return this.#lastDue - now
  }

  #watchdog(): void {
    const { idleMs } = this.#request
    if (idleMs === undefined) return
    const silentMs = this.#options.clock.elapsed() - this.#heardAt
    if (silentMs >= idleMs) return this.#over({ error: this.#lost('not a byte came') })
    this.#later(idleMs - silentMs, () => this.#watchdog())
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
    return new ConnectionFailure(askedOf(this.#request), why)
  }
}
