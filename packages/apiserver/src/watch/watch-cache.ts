import type { Clock } from '@machinist/core/clock'
import type { Logger } from '@machinist/core/log'
import { Refusal } from '../refusal.ts'
import { statusBody } from '../status.ts'
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
import type { View } from './view.ts'
import type { Beginning, Watch, WatchSink } from './watcher.ts'
import { Watcher } from './watcher.ts'
import { WatcherIndex } from './watcher-index.ts'

export interface WatchCacheOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Logger
  /** How many changes a watch can go back; 5,000 unless told. */
  readonly windowChanges?: number
  /** And how many characters of objects; 16 million unless told. */
  readonly windowCharacters?: number
  /** How many changes may wait for a slow reader before it is cut off; 1,000 unless told. */
  readonly mostWaiting?: number
  /** And how many bytes; 16 million unless told. */
  readonly mostWaitingBytes?: number
}

/** How much a cache holds, for metrics. */
export interface CacheSizes {
  readonly window: WindowSizes
  readonly watchers: number
  /** The revision of the newest change that it knows of. */
  readonly heard: number
}

/** How long a request waits for a version that the server has not seen yet. */
const patienceMs = 3000

/**
 * Kubernetes' lists and watches over a store. One per process: it hears every change once, writes it once for each view,
 * and hands the same bytes to everybody who watches the object.
 */
export class WatchCache {
  readonly #options: WatchCacheOptions
  readonly #store: Store
  readonly #window: ChangeWindow
  readonly #watchers = new WatcherIndex()
  readonly #waits: RevisionWaits
  readonly #unsubscribe: () => void
  #heard: number

  constructor(options: WatchCacheOptions) {
    const { store, clock, windowChanges = 5000, windowCharacters = 16_000_000 } = options
    this.#options = options
    this.#store = store
    this.#waits = new RevisionWaits(clock)
    this.#window = recentChanges(store, { changes: windowChanges, characters: windowCharacters })
    this.#heard = store.revision
    this.#unsubscribe = store.subscribe((change) => this.#hear(change))
  }

  get sizes(): CacheSizes {
    return { window: this.#window.sizes, watchers: this.#watchers.size, heard: this.#heard }
  }

  /** A page of what is in a scope. Throws a Refusal. */
  async list(scope: Scope, query: ListQuery = {}): Promise<ListPage> {
    checkListQuery(query)
    const plan = planList(scope, query)
    if (plan.notOlderThan !== undefined) await this.#notOlderThan(plan.notOlderThan)
    return readList(this.#store, scope, plan, query)
  }

  /** Waits until the store is as new as a `get` asks for. Throws a Refusal if that takes too long. */
  async notOlderThan(resourceVersion: string | undefined): Promise<void> {
    await this.#notOlderThan(parseResourceVersion(resourceVersion) ?? 0)
  }

  /**
   * Sends what happens in a scope to a sink. Throws a Refusal if the query makes no sense; what cannot be done for other
   * reasons is told by an ERROR event, as the answer has begun by then.
   */
  watch(scope: Scope, query: WatchQuery, view: View, sink: WatchSink): Watch {
    const { initialEvents } = checkWatchQuery(query)
    const from = parseResourceVersion(query.resourceVersion) ?? 0
    const watcher: Watcher = new Watcher({
      clock: this.#options.clock,
      sink,
      view,
      select: query.select,
      bookmarks: query.allowWatchBookmarks ?? false,
      timeoutMs: query.timeoutMs,
      mostWaiting: this.#options.mostWaiting ?? 1000,
      mostWaitingBytes: this.#options.mostWaitingBytes ?? 16_000_000,
      heard: () => this.#heard,
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

  #hear(change: StoreChange): void {
    const cached = this.#window.add(change)
    this.#heard = change.revision
    for (const watcher of this.#watchers.of(change.key)) {
      this.#guard(watcher, () => watcher.hear(cached))
    }
    this.#waits.reached(change.revision)
  }

  /** One watcher's trouble, such as a selector that throws, ends that watch only. */
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
      // Not even a turn of waiting if it is there: a watch that has begun must not miss a thing.
      if (from > this.#store.revision) await this.#notOlderThan(from)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return this.#guard(watcher, () => watcher.refuse(statusBody(error)))
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
        watcher.refuse(statusBody(tooOldToWatch(from, start)))
      } else {
        watcher.start(this.#replay(scope, query, from))
      }
    })
  }

  #replay(scope: Scope, query: WatchQuery, from: number): Beginning {
    const events = this.#window
      .since(from, scope)
      .flatMap((change) => change.seenThrough(query.select) ?? [])
    return { events, revision: Math.max(from, this.#heard), marked: false }
  }

  async #notOlderThan(revision: number): Promise<void> {
    if (revision <= this.#store.revision) return
    const reached = await this.#waits.wait(revision, patienceMs)
    if (!reached) throw tooLarge(revision, this.#store.revision)
  }
}
