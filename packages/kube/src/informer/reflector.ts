import type { Clock } from '@machinist/core/clock'
import { messageOf } from '@machinist/core/errors'
import type { Logger } from '@machinist/core/log'
import type { Random } from '@machinist/core/random'
import { between } from '@machinist/core/random'
import type { KubeObject } from '@machinist/core/resource'
import type { ListWatch, WatchEvent } from '../list-watch.ts'
import type { Selection } from './list-all.ts'
import { listAll } from './list-all.ts'
import { withPatience } from '../patience.ts'
import { RecoveringBackoff } from './recovering-backoff.ts'
import type { Trouble } from './trouble.ts'
import { judge, shortWatch } from './trouble.ts'
import { isOlder, laterVersion } from './version-order.ts'

export type ObjectEvent<T extends KubeObject> = Exclude<WatchEvent<T>, { type: 'BOOKMARK' }>

/** What is known about a list beside its objects. */
export interface ListFacts {
  /** Elapsed time when it was begun: it is no older. */
  readonly begunAt: number
  /** It is older than what was seen before, which only a restore of etcd brings about. */
  readonly wentBack: boolean
}

/** Where the server's state goes. */
interface ReflectorSink<T extends KubeObject> {
  /** Makes an object ready to be kept, one by one as they arrive. */
  admit(object: T): T
  /** The whole state: what is not in it is gone. */
  replace(objects: readonly T[], list: ListFacts): void
  /** One event; `seen` is the version up to which everything is known. */
  apply(event: ObjectEvent<T>, seen: string): void
}

/** What happens on the way, for metrics. */
interface ReflectorObserver {
  heard(): void
  listed(reason: string): void
  watchEnded(reason: string): void
}

export interface ReflectorOptions<T extends KubeObject> {
  readonly source: ListWatch<T>
  readonly selection: Selection
  readonly sink: ReflectorSink<T>
  readonly observer: ReflectorObserver
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}

const backoff = { firstMs: 800, maxMs: 30_000, factor: 2, jitter: 1 }
const healthyAfterMs = 120_000
/** Servers send a bookmark about every minute, so a connection that is silent for longer than two is dead. */
const idleMs = 150_000
/** The server ends a watch after a random time in this range, so that a fleet does not return in step. */
const watchSeconds = { least: 300, most: 600 }
/** How long after its end a watch may still be open before we take the matter into our own hands. */
const graceMs = 30_000
const shortWatchMs = 1000
/** A watch says nothing when it opens. One that has not failed for this long after trouble counts as open. */
const provenAfterMs = 10_000

/** Follows the server's state of one selection until its signal aborts; no failure ever stops it. */
export class Reflector<T extends KubeObject> {
  readonly #options: ReflectorOptions<T>
  readonly #backoff: RecoveringBackoff
  /** The version up to which everything is known; absent when only a list can tell. */
  #version: string | undefined
  /** Up to which version everything was known before the list that is due. */
  #seen: string | undefined
  #whyList = 'start'
  #tryingSince: number | undefined
  #inTrouble = true

  constructor(options: ReflectorOptions<T>) {
    this.#options = options
    this.#backoff = new RecoveringBackoff(options.clock, options.random, backoff, healthyAfterMs)
  }

  get isConnected(): boolean {
    if (this.#tryingSince === undefined || this.#version === undefined) return false
    return !this.#inTrouble || this.#options.clock.elapsed() - this.#tryingSince >= provenAfterMs
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const trouble = await this.#attempt(signal)
      if (trouble && !signal.aborted) await this.#stayAway(trouble, signal)
    }
  }

  async #attempt(signal: AbortSignal): Promise<Trouble | undefined> {
    const listing = this.#version === undefined
    this.#tryingSince = this.#options.clock.elapsed()
    try {
      if (listing) await this.#list(signal)
      else return await this.#watch(signal)
    } catch (error) {
      if (!signal.aborted) return this.#explain(error, listing)
    } finally {
      this.#tryingSince = undefined
    }
    return undefined
  }

  async #list(signal: AbortSignal): Promise<void> {
    const { source, selection, clock, sink, observer } = this.#options
    const onPage = (): void => this.#heard()
    const admit = (object: T): T => sink.admit(object)
    const begunAt = clock.elapsed()
    const listed = await listAll({ source, selection, clock, admit, onPage }, signal)
    if (signal.aborted) return
    const wentBack = isOlder(listed.resourceVersion, this.#seen) === true
    sink.replace(listed.objects, { begunAt, wentBack })
    this.#version = listed.resourceVersion
    observer.listed(this.#whyList)
  }

  /** Answers only if the watch ended in a way that must not be repeated at once. */
  async #watch(signal: AbortSignal): Promise<Trouble | undefined> {
    const { clock, random, observer } = this.#options
    const began = clock.elapsed()
    const seconds = between(random, watchSeconds.least, watchSeconds.most)
    const heard = await withPatience(
      clock,
      seconds * 1000 + graceMs,
      'a watch',
      signal,
      (patience) => this.#follow(seconds, patience),
    )
    if (signal.aborted) return undefined
    const isShort = heard === 0 && clock.elapsed() - began < shortWatchMs
    observer.watchEnded(isShort ? shortWatch.reason : 'timeout')
    if (isShort) return shortWatch
    this.#inTrouble = false
    return undefined
  }

  /** Answers how many events came before the server ended the watch. */
  async #follow(timeoutSeconds: number, signal: AbortSignal): Promise<number> {
    const { source, selection } = this.#options
    const from = this.#version === undefined ? {} : { resourceVersion: this.#version }
    const options = { ...selection, ...from, bookmarks: true, timeoutSeconds, idleMs }
    let heard = 0
    for await (const event of source.watch(options, signal)) {
      if (signal.aborted) break
      heard += 1
      this.#heard()
      this.#take(event)
    }
    return heard
  }

  #take(event: WatchEvent<T>): void {
    const seen = this.#version ?? ''
    if (event.type === 'BOOKMARK') {
      this.#version = laterVersion(seen, event.resourceVersion)
      return
    }
    this.#options.sink.apply(event, seen)
    // Only now: if applying failed, this event has not been seen.
    this.#version = laterVersion(seen, event.object.metadata.resourceVersion)
  }

  #heard(): void {
    this.#inTrouble = false
    this.#options.observer.heard()
  }

  #explain(error: unknown, listing: boolean): Trouble {
    const trouble = judge(error)
    const { log, observer } = this.#options
    const fields = { reason: trouble.reason, next: listing ? 'relist' : trouble.next }
    if (trouble.reason === 'unexpected') log.error('cannot follow the api server', error, fields)
    else log.info('lost touch with the api server', { ...fields, error: messageOf(error) })
    if (!listing) observer.watchEnded(trouble.reason)
    return trouble
  }

  async #stayAway(trouble: Trouble, signal: AbortSignal): Promise<void> {
    this.#inTrouble = true
    if (trouble.next === 'relist' && this.#version !== undefined) {
      this.#seen = this.#version
      this.#version = undefined
      this.#whyList = trouble.reason
    }
    await this.#backoff.wait(this.#backoff.next(trouble.atLeastMs), signal)
  }
}
