import type { Clock } from '@machinist/core/clock'
import type { Logger } from '@machinist/core/log'
import { StatusError } from '../status/status-error.ts'
import { statusBody } from '../status/status-body.ts'
import type { Store, StoreChange } from '../store/store.ts'
import type { SeenChange } from './cached-change.ts'
import type { ChangeWindow, WindowSizes } from './change-window.ts'
import { recentChanges } from './change-window.ts'
import type { ListPage } from './list.ts'
import { planList, readList } from './list.ts'
import type { ListQuery, WatchQuery } from './list-options.ts'
import { checkListQuery, checkWatchQuery } from './list-options.ts'
import { parseResourceVersion, tooLarge, tooOldToWatch } from './resource-version.ts'
import { RevisionWaits } from './revision-waits.ts'
import type { Scope } from './scope.ts'
import type { WatchView } from './view.ts'
import type { InitialEvents, Watch, WatchSink } from './watcher.ts'
import { Watcher } from './watcher.ts'
import { WatcherIndex } from './watcher-index.ts'

export interface WatchCacheOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Logger
  /** Number of changes that a watch can go back; default: 5,000. */
  readonly windowChanges?: number
  /** Number of characters of objects; default: 16 million. */
  readonly windowCharacters?: number
  /** Number of changes that can wait for a slow reader before it is disconnected; default: 1,000. */
  readonly maxQueuedChanges?: number
  /** Number of bytes; default: 16 million. */
  readonly maxQueuedBytes?: number
}

/** Cache sizes, for metrics. */
export interface CacheSizes {
  readonly window: WindowSizes
  readonly watchers: number
  /** The revision of the newest received change. */
  readonly deliveredRevision: number
}

/** How long a request waits for a revision that the store has not reached yet. */
const revisionWaitMs = 3000

/**
 * Lists and watches over a store. One per process: it receives each change once, encodes it once per view, and sends
 * the same bytes to all watches.
 */
export class WatchCache {
  readonly #options: WatchCacheOptions
  readonly #store: Store
  readonly #window: ChangeWindow
  readonly #watchers = new WatcherIndex()
  readonly #waits: RevisionWaits
  readonly #unsubscribe: () => void
  #deliveredRevision: number

  constructor(options: WatchCacheOptions) {
    const { store, clock, windowChanges = 5000, windowCharacters = 16_000_000 } = options
    this.#options = options
    this.#store = store
    this.#waits = new RevisionWaits(clock)
    this.#window = recentChanges(store, { changes: windowChanges, characters: windowCharacters })
    this.#deliveredRevision = store.revision
    this.#unsubscribe = store.subscribe((change) => this.#deliver(change))
  }

  get sizes(): CacheSizes {
    return {
      window: this.#window.sizes,
      watchers: this.#watchers.size,
      deliveredRevision: this.#deliveredRevision,
    }
  }

  /** A page of a scope. Throws a StatusError. */
  async list(scope: Scope, query: ListQuery = {}): Promise<ListPage> {
    checkListQuery(query)
    const plan = planList(scope, query)
    if (plan.notOlderThan !== undefined) await this.#notOlderThan(plan.notOlderThan)
    return readList(this.#store, scope, plan, query)
  }

  /** Waits until the store has reached the revision of a `get`. Throws a StatusError on timeout. */
  async notOlderThan(resourceVersion: string | undefined): Promise<void> {
    await this.#notOlderThan(parseResourceVersion(resourceVersion) ?? 0)
  }

  /**
   * Sends the changes of a scope to a sink. Throws a StatusError for an invalid query; later failures are ERROR
   * events, since the response has started.
   */
  watch(scope: Scope, query: WatchQuery, view: WatchView, sink: WatchSink): Watch {
    const { initialEvents } = checkWatchQuery(query)
    const from = parseResourceVersion(query.resourceVersion) ?? 0
    const watcher: Watcher = new Watcher({
      clock: this.#options.clock,
      sink,
      view,
      select: query.select,
      bookmarks: query.allowWatchBookmarks ?? false,
      timeoutMs: query.timeoutMs,
      maxQueuedChanges: this.#options.maxQueuedChanges ?? 1000,
      maxQueuedBytes: this.#options.maxQueuedBytes ?? 16_000_000,
      deliveredRevision: () => this.#deliveredRevision,
      onEnd: () => this.#watchers.remove(scope, watcher),
    })
    this.#watchers.add(scope, watcher)
    if (initialEvents) void this.#startWithAll(watcher, scope, query, from)
    else this.#startFrom(watcher, scope, query, from)
    return watcher
  }

  /** Ends all watches. The store stays open. */
  close(): void {
    this.#unsubscribe()
    this.#waits.giveUp()
    for (const watcher of this.#watchers.all()) watcher.end('closed')
  }

  #deliver(change: StoreChange): void {
    const cached = this.#window.add(change)
    this.#deliveredRevision = change.revision
    for (const watcher of this.#watchers.of(change.key)) {
      this.#guard(watcher, () => watcher.deliver(cached))
    }
    this.#waits.reached(change.revision)
  }

  /** A failure of one watch, such as a selector that throws, ends only that watch. */
  #guard(watcher: Watcher, work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#options.log.error('watch failed', error)
      watcher.end('closed')
    }
  }

  async #startWithAll(
    watcher: Watcher,
    scope: Scope,
    query: WatchQuery,
    from: number,
  ): Promise<void> {
    try {
      // Do not yield if the revision is available: a started watch must not miss a change.
      if (from > this.#store.revision) await this.#notOlderThan(from)
    } catch (error) {
      if (!(error instanceof StatusError)) throw error
      return this.#guard(watcher, () => watcher.fail(statusBody(error)))
    }
    if (watcher.ended) return
    this.#guard(watcher, () => {
      const page = readList(this.#store, scope, { limit: 0 }, { select: query.select })
      const events = page.items.map((object): SeenChange => ({ type: 'ADDED', object }))
      const marked = query.allowWatchBookmarks ?? false
      watcher.start({ events, revision: this.#store.revision, marked })
    })
  }

  #startFrom(watcher: Watcher, scope: Scope, query: WatchQuery, from: number): void {
    const start = this.#window.start
    this.#guard(watcher, () => {
      if (from === 0) {
        watcher.start({ events: [], revision: this.#store.revision, marked: false })
      } else if (from < start) {
        watcher.fail(statusBody(tooOldToWatch(from, start)))
      } else {
        watcher.start(this.#replay(scope, query, from))
      }
    })
  }

  #replay(scope: Scope, query: WatchQuery, from: number): InitialEvents {
    const events = this.#window
      .since(from, scope)
      .flatMap((change) => change.seenThrough(query.select) ?? [])
    return { events, revision: Math.max(from, this.#deliveredRevision), marked: false }
  }

  async #notOlderThan(revision: number): Promise<void> {
    if (revision <= this.#store.revision) return
    const reached = await this.#waits.wait(revision, revisionWaitMs)
    if (!reached) throw tooLarge(revision, this.#store.revision)
  }
}
