import type { Clock } from '@machinist/core/clock'
import type { Logger } from '@machinist/core/log'
import type { Metrics } from '@machinist/core/metrics'
import type { Random } from '@machinist/core/random'
import type { KubeObject, ObjectKey } from '@machinist/core/objects/resource'
import { keyOf, keyText, withoutManagedFields } from '@machinist/core/objects/resource'
import type { ListWatch } from '../list-watch.ts'
import { deepFreeze } from './deep-freeze.ts'
import type { ChangeHandler } from './change.ts'
import type { InformerMetrics } from './informer-metrics.ts'
import { informerMetrics } from './informer-metrics.ts'
import type { Selection } from './list-all.ts'
import type { ListFacts, ObjectEvent } from './reflector.ts'
import { Reflector } from './reflector.ts'
import type { Indexes } from './store.ts'
import { Store } from './store.ts'
import { Subscribers } from './subscribers.ts'
import { isReplayedEvent, isOlder, isSameState } from './version-order.ts'

export interface InformerOptions<T extends KubeObject> {
  /** Name in logs and metrics: `nodes`, `pods on worker-1`. */
  readonly resource: string
  /** The informer owns and freezes the objects that the source returns. */
  readonly source: ListWatch<T>
  readonly selection?: Selection
  readonly indexes?: Indexes<T>
  /** Reduces each object to the required fields. managedFields are always removed. */
  readonly transform?: (object: T) => T
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Metrics
}

/** Read access to the cache, for controllers. */
export interface Lister<T extends KubeObject> {
  get(key: ObjectKey | string): Readonly<T> | undefined
  list(): Readonly<T>[]
  byIndex(index: string, value: string): Readonly<T>[]
}

/** A cache of one kind that follows the API server and notifies subscribers of every change. */
export class Informer<T extends KubeObject> implements Lister<T> {
  readonly resource: string
  readonly #clock: Clock
  readonly #log: Logger
  readonly #metrics: InformerMetrics
  readonly #store: Store<T>
  readonly #subscribers: Subscribers<T>
  readonly #reflector: Reflector<T>
  readonly #transform: (object: T) => T
  readonly #firstSync = Promise.withResolvers<boolean>()
  readonly #restoreHandlers = new Set<() => void>()
  readonly #relistHandlers = new Set<(startedAt: number) => void>()
  #isStarted = false
  #hasSynced = false
  #lastActivity: number | undefined

  constructor(options: InformerOptions<T>) {
    this.resource = options.resource
    this.#clock = options.clock
    this.#log = options.log.with({ informer: options.resource })
    this.#metrics = informerMetrics(options.metrics, options.clock, options.resource)
    this.#store = new Store(this.#guarded(options.indexes ?? {}))
    this.#transform = options.transform ?? ((object) => object)
    this.#subscribers = new Subscribers((error, { type, object }) => {
      this.#metrics.handlerFailed()
      this.#log.error('change handler failed', error, {
        change: type,
        object: keyText(keyOf(object)),
      })
    })
    this.#reflector = new Reflector({
      source: options.source,
      selection: options.selection ?? {},
      clock: options.clock,
      random: options.random,
      log: this.#log,
      observer: {
        received: () => this.#received(),
        listed: (reason) => this.#metrics.listed(reason),
        watchEnded: (reason) => this.#metrics.watchEnded(reason),
      },
      sink: {
        admit: (object) => this.#admit(object),
        replace: (objects, list) => this.#replace(objects, list),
        apply: (event, seen) => this.#apply(event, seen),
      },
    })
  }

  /** Lists and watches until the signal aborts. The promise resolves then, and never rejects. */
  async start(signal: AbortSignal): Promise<void> {
    if (this.#isStarted) throw new TypeError(`the informer for ${this.resource} is already started`)
    this.#isStarted = true
    await this.#reflector.run(signal)
    this.#firstSync.resolve(false)
  }

  /** Whether the cache contains the first list and the subscribers were notified of it. */
  get hasSynced(): boolean {
    return this.#hasSynced
  }

  /** True when the cache has synced; false if it was stopped before. */
  synced(): Promise<boolean> {
    return this.#firstSync.promise
  }

  /** Whether the watch is open. */
  get isConnected(): boolean {
    return this.#reflector.isConnected
  }

  /** Time of the last data from the server, in milliseconds since the epoch. */
  get lastActivity(): number | undefined {
    return this.#lastActivity
  }

  get size(): number {
    return this.#store.size
  }

  get(key: ObjectKey | string): Readonly<T> | undefined {
    return this.#store.get(key)
  }

  list(): Readonly<T>[] {
    return this.#store.list()
  }

  byIndex(index: string, value: string): Readonly<T>[] {
    return this.#store.byIndex(index, value)
  }

  /** Calls `handler` with the present objects and then with every change. Returns a function that ends the subscription. */
  subscribe(handler: ChangeHandler<T>): () => void {
    return this.#subscribers.add(handler, this.#store.list())
  }

  /**
   * Calls `handler` after each list except the first, with the elapsed time at which it started: events may have been missed.
   * An earlier write that is not in the cache is not on the server either, for example after a restore of etcd. Returns a
   * function that ends the subscription.
   */
  onRelist(handler: (startedAt: number) => void): () => void {
    this.#relistHandlers.add(handler)
    return () => void this.#relistHandlers.delete(handler)
  }

  /**
   * Calls `handler` when a list shows that etcd was restored to an older state, before the cache contains that state. Other
   * caches may still contain the lost state, so that the combination is inconsistent. Returns a function that ends the
   * subscription.
   */
  onRestore(handler: () => void): () => void {
    this.#restoreHandlers.add(handler)
    return () => void this.#restoreHandlers.delete(handler)
  }

  #received(): void {
    this.#lastActivity = this.#clock.now()
    this.#metrics.received()
  }

  #admit(object: T): T {
    const stored = this.#store.get(keyOf(object))
    // Keep the frozen object of the cache, so that the received copy can be garbage collected.
    if (stored && isSameState(stored, object)) return stored
    return deepFreeze(this.#transformed(withoutManagedFields(object)))
  }

  #transformed(object: T): T {
    try {
      return this.#transform(object)
    } catch (error) {
      // A larger object is better than a missing one.
      this.#log.error('transform failed', error, { object: keyText(keyOf(object)) })
      return object
    }
  }

  /** Replaces the state object by object, so that a subscriber added meanwhile receives consistent changes. */
  #replace(objects: readonly T[], { startedAt, isRestored }: ListFacts): void {
    const isRelist = this.#hasSynced
    // First, so that no controller acts on an inconsistent state.
    if (isRestored || objects.some((object) => this.#isAhead(object))) {
      for (const handler of this.#restoreHandlers) handler()
    }
    const present = new Set(objects.map((object) => keyText(keyOf(object))))
    for (const object of this.#store.list()) {
      if (!present.has(keyText(keyOf(object)))) this.#remove(object, true)
    }
    for (const object of objects) this.#put(object)
    this.#metrics.objects(this.#store.size)
    this.#hasSynced = true
    this.#firstSync.resolve(true)
    if (isRelist) for (const handler of this.#relistHandlers) handler(startedAt)
  }

  /** Whether the cache has a newer version of the object than the list, which happens only after a restore of etcd. */
  #isAhead(listed: T): boolean {
    const stored = this.#store.get(keyOf(listed))?.metadata
    const { uid, resourceVersion } = listed.metadata
    return stored?.uid === uid && isOlder(resourceVersion, stored?.resourceVersion) === true
  }

  #apply(event: ObjectEvent<T>, seen: string): void {
    const stored = this.#store.get(keyOf(event.object))
    if (isReplayedEvent(event, stored, seen)) return
    if (event.type === 'DELETED') this.#remove(this.#admit(event.object), false)
    else this.#put(this.#admit(event.object))
    this.#metrics.objects(this.#store.size)
  }

  #put(object: T): void {
    const stored = this.#store.get(keyOf(object))
    if (stored && isSameState(stored, object)) return
    // Another object with the same name: subscribers must receive the deletion of the old one.
    if (stored && stored.metadata.uid !== object.metadata.uid) this.#remove(stored, true)
    const before = this.#store.put(object)
    if (before) this.#subscribers.notify({ type: 'updated', object, before })
    else this.#subscribers.notify({ type: 'added', object, initial: !this.#hasSynced })
  }

  #remove(object: Readonly<T>, missed: boolean): void {
    this.#store.remove(keyOf(object))
    this.#subscribers.notify({ type: 'deleted', object, missed })
  }

  #guarded(indexes: Indexes<T>): Indexes<T> {
    return Object.fromEntries(
      Object.entries(indexes).map(([name, index]) => [
        name,
        (object: Readonly<T>) => {
          try {
            return index(object)
          } catch (error) {
            this.#log.error('index function failed', error, {
              index: name,
              object: keyText(keyOf(object)),
            })
            return []
          }
        },
      ]),
    )
  }
}
