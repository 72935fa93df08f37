import type { Clock } from '@machinist/core/clock'
import type { Logger } from '@machinist/core/log'
import type { Metrics } from '@machinist/core/metrics'
import type { Random } from '@machinist/core/random'
import type { KubeObject, ObjectKey } from '@machinist/core/resource'
import { keyOf, keyText, withoutManagedFields } from '@machinist/core/resource'
import type { ListWatch } from '../list-watch.ts'
import { deepFreeze } from './admission.ts'
import type { ChangeHandler } from './change.ts'
import type { InformerMetrics } from './informer-metrics.ts'
import { informerMetrics } from './informer-metrics.ts'
import type { Selection } from './list-all.ts'
import type { ListFacts, ObjectEvent } from './reflector.ts'
import { Reflector } from './reflector.ts'
import type { Indexes } from './store.ts'
import { Store } from './store.ts'
import { Subscribers } from './subscribers.ts'
import { isEcho, isOlder, isSameState } from './version-order.ts'

export interface InformerOptions<T extends KubeObject> {
  /** How logs and metrics call it: `nodes`, `pods on worker-1`. */
  readonly resource: string
  /** Objects it hands out belong to the informer from then on: they are frozen. */
  readonly source: ListWatch<T>
  readonly selection?: Selection
  readonly indexes?: Indexes<T>
  /** Keeps of each object only what is needed. managedFields are left out in any case. */
  readonly transform?: (object: T) => T
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Metrics
}

/** What a reader of the cache may do; controllers get no more than this. */
export interface Lister<T extends KubeObject> {
  get(key: ObjectKey | string): Readonly<T> | undefined
  list(): Readonly<T>[]
  byIndex(index: string, value: string): Readonly<T>[]
}

/** A local copy of part of the server's state that follows it, and tells of every change. */
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
  readonly #relistHandlers = new Set<(begunAt: number) => void>()
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
      this.#log.error('a handler failed', error, { change: type, object: keyText(keyOf(object)) })
    })
    this.#reflector = new Reflector({
      source: options.source,
      selection: options.selection ?? {},
      clock: options.clock,
      random: options.random,
      log: this.#log,
      observer: {
        heard: () => this.#heard(),
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

  /** Follows the server until the signal aborts; the promise resolves then, and never rejects. */
  async start(signal: AbortSignal): Promise<void> {
    if (this.#isStarted) throw new TypeError(`the informer for ${this.resource} runs already`)
    this.#isStarted = true
    await this.#reflector.run(signal)
    this.#firstSync.resolve(false)
  }

  /** Whether the first list is in the cache and has been told to the subscribers. */
  get hasSynced(): boolean {
    return this.#hasSynced
  }

  /** True once it has synced; false if it was stopped before that. */
  synced(): Promise<boolean> {
    return this.#firstSync.promise
  }

  /** Whether the cache follows the server at this moment. */
  get isConnected(): boolean {
    return this.#reflector.isConnected
  }

  /** When (milliseconds since the epoch) the server was last heard. */
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

  /** Tells `handler` what is there now and then every change. The answer ends the subscription. */
  subscribe(handler: ChangeHandler<T>): () => void {
    return this.#subscribers.add(handler, this.#store.list())
  }

  /**
   * `handler` runs after each list but the first, with the elapsed time at which it was begun: events were missed. What was
   * written before and is not in the cache is not on the server either, for instance after a restore of etcd. The answer
   * ends the subscription.
   */
  onRelist(handler: (begunAt: number) => void): () => void {
    this.#relistHandlers.add(handler)
    return () => void this.#relistHandlers.delete(handler)
  }

  /**
   * `handler` runs when a list shows that etcd was restored to an older state, before the cache takes it. Other caches may
   * still show the lost state, and together they would show what never was. The answer ends the subscription.
   */
  onRestore(handler: () => void): () => void {
    this.#restoreHandlers.add(handler)
    return () => void this.#restoreHandlers.delete(handler)
  }

  #heard(): void {
    this.#lastActivity = this.#clock.now()
    this.#metrics.heard()
  }

  #admit(object: T): T {
    const stored = this.#store.get(keyOf(object))
    // The frozen object that is here already serves as well, and the one that came can be forgotten at once.
    if (stored && isSameState(stored, object)) return stored
    return deepFreeze(this.#transformed(withoutManagedFields(object)))
  }

  #transformed(object: T): T {
    try {
      return this.#transform(object)
    } catch (error) {
      // Larger than wanted is better than missing.
      this.#log.error('a transform failed', error, { object: keyText(keyOf(object)) })
      return object
    }
  }

  /** Object by object, so that whoever subscribes in between is told a state and changes that fit together. */
  #replace(objects: readonly T[], { begunAt, wentBack }: ListFacts): void {
    const isRelist = this.#hasSynced
    // First: nobody may go by what follows.
    if (wentBack || objects.some((object) => this.#isAhead(object))) {
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
    if (isRelist) for (const handler of this.#relistHandlers) handler(begunAt)
  }

  /** Whether the cache has a later state of the object than a list, which no server forgets by itself. */
  #isAhead(listed: T): boolean {
    const stored = this.#store.get(keyOf(listed))?.metadata
    const { uid, resourceVersion } = listed.metadata
    return stored?.uid === uid && isOlder(resourceVersion, stored?.resourceVersion) === true
  }

  #apply(event: ObjectEvent<T>, seen: string): void {
    const stored = this.#store.get(keyOf(event.object))
    if (isEcho(event, stored, seen)) return
    if (event.type === 'DELETED') this.#remove(this.#admit(event.object), false)
    else this.#put(this.#admit(event.object))
    this.#metrics.objects(this.#store.size)
  }

  #put(object: T): void {
    const stored = this.#store.get(keyOf(object))
    if (stored && isSameState(stored, object)) return
    // Another object under the same name: whoever follows the old one must hear of its end.
    if (stored && stored.metadata.uid !== object.metadata.uid) this.#remove(stored, true)
    const before = this.#store.put(object)
    if (before) this.#subscribers.announce({ type: 'updated', object, before })
    else this.#subscribers.announce({ type: 'added', object, initial: !this.#hasSynced })
  }

  #remove(object: Readonly<T>, missed: boolean): void {
    this.#store.remove(keyOf(object))
    this.#subscribers.announce({ type: 'deleted', object, missed })
  }

  #guarded(indexes: Indexes<T>): Indexes<T> {
    return Object.fromEntries(
      Object.entries(indexes).map(([name, index]) => [
        name,
        (object: Readonly<T>) => {
          try {
            return index(object)
          } catch (error) {
            this.#log.error('an index failed', error, {
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
