import type { Cancel, Clock } from '@machinist/core/clock'
import type { CachedChange, SeenChange } from './cached-change.ts'
import { eventLine } from './cached-object.ts'
import type { Select } from './list-options.ts'
import type { WatchView } from './view.ts'

/** The destination of a watch's lines, such as a socket. */
export interface WatchSink {
  /** Writes one line. False: wait until `resume` is called. */
  write(line: Buffer): boolean
  /** No more lines follow. */
  end(why: WatchEnd): void
  /** The client has not read the rest in time: discard it. */
  drop(): void
}

/** `slow`: the client reads too slowly and must restart the watch; `refused`: the last line was an ERROR. */
export type WatchEnd = 'timeout' | 'slow' | 'refused' | 'closed'

/** Controls a running watch. */
export interface Watch {
  /** The sink accepts lines again. */
  resume(): void
  /** The client disconnected. The sink receives nothing after this, not even its end. */
  stop(): void
}

export interface WatcherOptions {
  readonly clock: Clock
  readonly sink: WatchSink
  readonly view: WatchView
  readonly select: Select | undefined
  readonly bookmarks: boolean
  readonly timeoutMs: number | undefined
  /** Number of changes that can wait for a full sink. */
  readonly maxQueuedChanges: number
  readonly maxQueuedBytes: number
  /** The revision up to which all changes have been delivered to watches. */
  readonly deliveredRevision: () => number
  /** Called once when the watch ends for any reason. */
  readonly onEnd: () => void
}

/** The initial events of a watch. */
export interface InitialEvents {
  readonly events: Iterable<SeenChange>
  /** The revision of the initial events. */
  readonly revision: number
  /** Whether to send a bookmark after the initial events. */
  readonly marked: boolean
}

const bookmarkEveryMs = 60_000
/** A bookmark shortly before the end lets the client resume from there. */
const bookmarkBeforeEndMs = 2000

/** How long a client can take to read the rest of an ended watch. */
const lingerMs = 30_000

/** One client's watch: writes lines to its sink with backpressure. */
export class Watcher implements Watch {
  readonly #options: WatcherOptions
  readonly #endsAt: number
  readonly #waiting: Buffer[] = []
  #waitingBytes = 0
  #initial: Iterator<Buffer> | undefined
  #view: WatchView
  #delivered = 0
  #started = false
  #full = false
  #ended = false
  #cancelEnd: Cancel | undefined
  #cancelBookmark: Cancel | undefined

  constructor(options: WatcherOptions) {
    this.#options = options
    this.#view = options.view.first ?? options.view
    const { clock, timeoutMs } = options
    this.#endsAt = clock.elapsed() + (timeoutMs ?? Infinity)
    if (timeoutMs !== undefined) this.#cancelEnd = clock.after(timeoutMs, () => this.end('timeout'))
  }

  get ended(): boolean {
    return this.#ended
  }

  start(beginning: InitialEvents): void {
    this.#started = true
    this.#delivered = beginning.revision
    this.#initial = this.#linesOf(beginning)
    if (this.#options.bookmarks) this.#planBookmark()
    this.#drain()
  }

  deliver(change: CachedChange): void {
    if (!this.#started || change.revision <= this.#delivered) return
    this.#delivered = change.revision
    const seen = change.seenThrough(this.#options.select)
    if (seen) this.#send(this.#lineOf(seen))
  }

  resume(): void {
    this.#full = false
    this.#drain()
  }

  stop(): void {
    if (this.#ended) return
    this.#ended = true
    this.#waiting.length = 0
    this.#initial = undefined
    this.#cancelEnd?.()
    this.#cancelBookmark?.()
    this.#options.onEnd()
  }

  end(why: WatchEnd): void {
    if (this.#ended) return
    this.stop()
    const { sink, clock } = this.#options
    sink.end(why)
    if (this.#full) clock.after(lingerMs, () => sink.drop())
  }

  /** Ends the watch with an ERROR event. */
  fail(status: Readonly<Record<string, unknown>>): void {
    if (this.#ended) return
    this.#options.sink.write(eventLine('ERROR', JSON.stringify(status)))
    this.end('refused')
  }

  *#linesOf({ events, revision, marked }: InitialEvents): Generator<Buffer> {
    for (const seen of events) yield this.#lineOf(seen)
    if (marked) yield this.#bookmark(revision, true)
  }

  #lineOf({ type, object }: SeenChange): Buffer {
    return object.line(type, this.#takeView())
  }

  #bookmark(revision: number, endsInitialEvents: boolean): Buffer {
    const object = this.#takeView().bookmark(String(revision), endsInitialEvents)
    return eventLine('BOOKMARK', object)
  }

  #takeView(): WatchView {
    const view = this.#view
    this.#view = this.#options.view
    return view
  }

  #send(line: Buffer): void {
    if (!this.#full && !this.#initial) {
      this.#full = !this.#options.sink.write(line)
      return
    }
    this.#waiting.push(line)
    this.#waitingBytes += line.length
    const { maxQueuedChanges, maxQueuedBytes } = this.#options
    if (this.#waiting.length > maxQueuedChanges || this.#waitingBytes > maxQueuedBytes) {
      this.end('slow')
    }
  }

  #drain(): void {
    while (this.#initial && !this.#full) {
      const next = this.#initial.next()
      if (next.done) this.#initial = undefined
      else this.#full = !this.#options.sink.write(next.value)
    }
    let sent = 0
    while (!this.#full && sent < this.#waiting.length) {
      const line = this.#waiting[sent++]!
      this.#waitingBytes -= line.length
      this.#full = !this.#options.sink.write(line)
    }
    this.#waiting.splice(0, sent)
  }

  #planBookmark(): void {
    const untilEnd = this.#endsAt - this.#options.clock.elapsed() - bookmarkBeforeEndMs
    if (untilEnd <= 0) return
    this.#cancelBookmark = this.#options.clock.after(Math.min(bookmarkEveryMs, untilEnd), () => {
      this.#planBookmark()
      // Includes changes outside the scope, so that the client can resume from a recent revision.
      const revision = Math.max(this.#delivered, this.#options.deliveredRevision())
      this.#send(this.#bookmark(revision, false))
    })
  }
}
