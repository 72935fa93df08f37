import type { Cancel, Clock } from '@machinist/core/clock'
import type { CachedChange, SeenChange } from './cached-change.ts'
import { eventLine } from './cached-object.ts'
import type { Select } from './list-options.ts'
import type { View } from './view.ts'

/** Where the lines of a watch go, such as a socket. */
export interface WatchSink {
  /** Takes one line. False: no more until `resume` is called. */
  write(line: Buffer): boolean
  /** Nothing more comes. */
  end(why: WatchEnd): void
  /** Whoever has not read to the end by now never will: let go of what they have left unread. */
  drop(): void
}

/** `slow`: the client reads too slowly and must begin again; `refused`: the last line was an ERROR. */
export type WatchEnd = 'timeout' | 'slow' | 'refused' | 'closed'

/** The reader's side of a running watch. */
export interface Watch {
  /** The sink takes lines again. */
  resume(): void
  /** Nobody listens any more. The sink hears nothing after this, not even its end. */
  stop(): void
}

export interface WatcherOptions {
  readonly clock: Clock
  readonly sink: WatchSink
  readonly view: View
  readonly select: Select | undefined
  readonly bookmarks: boolean
  readonly timeoutMs: number | undefined
  /** How many changes may wait for a sink that takes no more. */
  readonly mostWaiting: number
  readonly mostWaitingBytes: number
  /** How far all watches have been told of everything. */
  readonly heard: () => number
  /** Called once, when it is over in whatever way. */
  readonly onEnd: () => void
}

/** What a watch sends before anything that happens from now on. */
export interface Beginning {
  readonly events: Iterable<SeenChange>
  /** The watch has been told everything up to here. */
  readonly revision: number
  /** Whether the end of the initial events is to be marked. */
  readonly marked: boolean
}

const bookmarkEveryMs = 60_000
/** A bookmark shortly before the end lets the client go on from there. */
const bookmarkBeforeEndMs = 2000

/** How long a client may take to read the rest of a watch that has ended. */
const lingerMs = 30_000

/** One client's watch: puts lines into its sink as fast as that takes them. */
export class Watcher implements Watch {
  readonly #options: WatcherOptions
  readonly #endsAt: number
  readonly #waiting: Buffer[] = []
  #waitingBytes = 0
  #initial: Iterator<Buffer> | undefined
  #view: View
  #told = 0
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

  start(beginning: Beginning): void {
    this.#started = true
    this.#told = beginning.revision
    this.#initial = this.#linesOf(beginning)
    if (this.#options.bookmarks) this.#planBookmark()
    this.#drain()
  }

  hear(change: CachedChange): void {
    if (!this.#started || change.revision <= this.#told) return
    this.#told = change.revision
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

  /** The one line of a watch that cannot be. */
  refuse(status: Readonly<Record<string, unknown>>): void {
    if (this.#ended) return
    this.#options.sink.write(eventLine('ERROR', JSON.stringify(status)))
    this.end('refused')
  }

  *#linesOf({ events, revision, marked }: Beginning): Generator<Buffer> {
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

  #takeView(): View {
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
    const { mostWaiting, mostWaitingBytes } = this.#options
    if (this.#waiting.length > mostWaiting || this.#waitingBytes > mostWaitingBytes) {
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
      // Also past what happened elsewhere, so that the client need not go back to where its own objects last changed.
      const revision = Math.max(this.#told, this.#options.heard())
      this.#send(this.#bookmark(revision, false))
    })
  }
}
