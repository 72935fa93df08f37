import type { Clock } from '@machinist/core/clock'
import { messageOf } from '@machinist/core/errors'
import type { Logger } from '@machinist/core/log'
import type { Random } from '@machinist/core/random'
import { between } from '@machinist/core/random'
import type { KubeObject } from '@machinist/core/objects/resource'
import type { ListWatch, WatchEvent } from '../list-watch.ts'
import { withDeadline } from '../deadline.ts'
import type { Selection } from './list-all.ts'
import { listAll } from './list-all.ts'
import { RecoveringBackoff } from './recovering-backoff.ts'
import type { ReflectorFailure } from './reflector-failure.ts'
import { classifyFailure, shortWatch } from './reflector-failure.ts'
import { isOlder, laterVersion } from './version-order.ts'

export type ObjectEvent<T extends KubeObject> = Exclude<WatchEvent<T>, { type: 'BOOKMARK' }>

/** Facts about a list. */
export interface ListFacts {
  /** Elapsed time at which the list started: its state is not older. */
  readonly startedAt: number
  /** The list is older than the known state, which happens only after a restore of etcd. */
  readonly isRestored: boolean
}

/** Receives the state of the server. */
interface ReflectorSink<T extends KubeObject> {
  /** Prepares an object for the cache when it arrives. */
  admit(object: T): T
  /** The complete state: objects that are not in it are deleted. */
  replace(objects: readonly T[], list: ListFacts): void
  /** One event; `seen` is the version up to which the state is complete. */
  apply(event: ObjectEvent<T>, seen: string): void
}

/** Receives activity for metrics. */
interface ReflectorObserver {
  received(): void
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
/** Servers send a bookmark about every minute, so a connection without data for more than two minutes is dead. */
const idleMs = 150_000
/** The server closes a watch after a random time in this range, so that clients do not reconnect simultaneously. */
const watchSeconds = { least: 300, most: 600 }
/** Grace period after the timeout of a watch, before the client closes it. */
const graceMs = 30_000
const shortWatchMs = 1000
/** Servers do not confirm an open watch. After a failure, a watch counts as open when it has lasted this long. */
const provenAfterMs = 10_000

/** Lists and watches one selection until its signal aborts. Failures never stop it. */
export class Reflector<T extends KubeObject> {
  readonly #options: ReflectorOptions<T>
  readonly #backoff: RecoveringBackoff
  /** The version up to which the state is complete; absent when a list is required. */
  #version: string | undefined
  /** The version up to which the state was complete before the required list. */
  #seen: string | undefined
  #listReason = 'start'
  #attemptSince: number | undefined
  #isFailing = true

  constructor(options: ReflectorOptions<T>) {
    this.#options = options
    this.#backoff = new RecoveringBackoff(options.clock, options.random, backoff, healthyAfterMs)
  }

  get isConnected(): boolean {
    if (this.#attemptSince === undefined || this.#version === undefined) return false
    return !this.#isFailing || this.#options.clock.elapsed() - this.#attemptSince >= provenAfterMs
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const failure = await this.#attempt(signal)
      if (failure && !signal.aborted) await this.#backOff(failure, signal)
    }
  }

  async #attempt(signal: AbortSignal): Promise<ReflectorFailure | undefined> {
    const listing = this.#version === undefined
    this.#attemptSince = this.#options.clock.elapsed()
    try {
      if (listing) await this.#list(signal)
      else return await this.#watch(signal)
    } catch (error) {
      if (!signal.aborted) return this.#handleError(error, listing)
    } finally {
      this.#attemptSince = undefined
    }
    return undefined
  }

  async #list(signal: AbortSignal): Promise<void> {
    const { source, selection, clock, sink, observer } = this.#options
    const onPage = (): void => this.#received()
    const admit = (object: T): T => sink.admit(object)
    const startedAt = clock.elapsed()
    const listed = await listAll({ source, selection, clock, admit, onPage }, signal)
    if (signal.aborted) return
    const isRestored = isOlder(listed.resourceVersion, this.#seen) === true
    sink.replace(listed.objects, { startedAt, isRestored })
    this.#version = listed.resourceVersion
    observer.listed(this.#listReason)
  }

  /** Returns a failure if the watch must not be reopened immediately. */
  async #watch(signal: AbortSignal): Promise<ReflectorFailure | undefined> {
    const { clock, random, observer } = this.#options
    const openedAt = clock.elapsed()
    const seconds = between(random, watchSeconds.least, watchSeconds.most)
    const events = await withDeadline(
      clock,
      seconds * 1000 + graceMs,
      'a watch',
      signal,
      (deadline) => this.#receive(seconds, deadline),
    )
    if (signal.aborted) return undefined
    const isShort = events === 0 && clock.elapsed() - openedAt < shortWatchMs
    observer.watchEnded(isShort ? shortWatch.reason : 'timeout')
    if (isShort) return shortWatch
    this.#isFailing = false
    return undefined
  }

  /** Returns the number of events before the server closed the watch. */
  async #receive(timeoutSeconds: number, signal: AbortSignal): Promise<number> {
    const { source, selection } = this.#options
    const from = this.#version === undefined ? {} : { resourceVersion: this.#version }
    const options = { ...selection, ...from, bookmarks: true, timeoutSeconds, idleMs }
    let events = 0
    for await (const event of source.watch(options, signal)) {
      if (signal.aborted) break
      events += 1
      this.#received()
      this.#take(event)
    }
    return events
  }

  #take(event: WatchEvent<T>): void {
    const seen = this.#version ?? ''
    if (event.type === 'BOOKMARK') {
      this.#version = laterVersion(seen, event.resourceVersion)
      return
    }
    this.#options.sink.apply(event, seen)
    // After apply: if it fails, the event counts as not seen.
    this.#version = laterVersion(seen, event.object.metadata.resourceVersion)
  }

  #received(): void {
    this.#isFailing = false
    this.#options.observer.received()
  }

  #handleError(error: unknown, listing: boolean): ReflectorFailure {
    const failure = classifyFailure(error)
    const { log, observer } = this.#options
    const fields = { reason: failure.reason, next: listing ? 'relist' : failure.next }
    if (failure.reason === 'unexpected')
      log.error('list or watch failed unexpectedly', error, fields)
    else log.info('list or watch failed', { ...fields, error: messageOf(error) })
    if (!listing) observer.watchEnded(failure.reason)
    return failure
  }

  async #backOff(failure: ReflectorFailure, signal: AbortSignal): Promise<void> {
    this.#isFailing = true
    if (failure.next === 'relist' && this.#version !== undefined) {
      this.#seen = this.#version
      this.#version = undefined
      this.#listReason = failure.reason
    }
    await this.#backoff.wait(this.#backoff.next(failure.atLeastMs), signal)
  }
}
