import type { BackoffPolicy } from '@machinist/core/backoff'
import { backoffDelay } from '@machinist/core/backoff'
import type { Cancel, Clock } from '@machinist/core/clock'
import type { Metrics } from '@machinist/core/metrics'
import type { Random } from '@machinist/core/random'
import { Heap } from './heap.ts'
import type { QueueMetrics } from './queue-metrics.ts'
import { queueMetrics } from './queue-metrics.ts'

export interface WorkQueueOptions {
  /** Name in metrics: the name of the controller. */
  readonly name: string
  readonly clock: Clock
  readonly random: Random
  readonly metrics: Metrics
}

export interface Work {
  readonly key: string
  readonly priority: number
}

interface Item {
  readonly key: string
  priority: number
  /** Elapsed time of the clock. */
  readyAt: number
  /** Position among items of equal priority, first in first out. Assigned on add, and again when the item becomes ready. */
  order: number
}

const backoff: BackoffPolicy = { firstMs: 5, maxMs: 1_000_000, factor: 2, jitter: 0.1 }

/**
 * A queue of keys to reconcile. A key is queued at most once and never processed by two workers: a key that is added while a
 * worker processes it stays queued until that worker is done. When a key is added twice, the higher priority and the earlier
 * time apply.
 */
export class WorkQueue {
  readonly #clock: Clock
  readonly #random: Random
  readonly #metrics: QueueMetrics
  /** Every queued key, in one of the three collections below. */
  readonly #items = new Map<string, Item>()
  readonly #delayed = new Heap<Item>(
    (a, b) => a.readyAt < b.readyAt || (a.readyAt === b.readyAt && a.order < b.order),
  )
  readonly #ready = new Heap<Item>(
    (a, b) => a.priority > b.priority || (a.priority === b.priority && a.order < b.order),
  )
  /** Ready, but a worker still processes the key. */
  readonly #held = new Set<Item>()
  readonly #processing = new Set<string>()
  readonly #failures = new Map<string, number>()
  readonly #waiters = new Set<(work: Work | undefined) => void>()
  readonly #drained = Promise.withResolvers<void>()
  #nextOrder = 0
  #timer: { readonly at: number; readonly cancel: Cancel } | undefined
  #isShutDown = false

  constructor(options: WorkQueueOptions) {
    this.#clock = options.clock
    this.#random = options.random
    this.#metrics = queueMetrics(options.metrics, options.clock, options.name)
  }

  /** Number of ready keys. */
  get depth(): number {
    return this.#ready.size
  }

  /** Whether no key is ready or being processed, and none becomes ready within `ms`. */
  isIdle(ms: number): boolean {
    if (this.#ready.size + this.#held.size + this.#processing.size > 0) return false
    const next = this.#delayed.first
    return !next || next.readyAt > this.#clock.elapsed() + ms
  }

  add(key: string, priority = 0): void {
    this.addAfter(key, 0, priority)
  }

  addAfter(key: string, ms: number, priority = 0): void {
    if (this.#isShutDown) return
    if (ms > 0) this.#metrics.delayed()
    const readyAt = this.#clock.elapsed() + Math.max(ms, 0)
    const item = this.#items.get(key)
    if (item) this.#merge(item, readyAt, priority)
    else this.#enter({ key, priority, readyAt, order: this.#nextOrder++ })
    this.#release()
  }

  /** Requeues a key after a failure, with exponential back-off. */
  addRateLimited(key: string, priority = 0): void {
    const failures = this.retries(key)
    this.#failures.set(key, failures + 1)
    this.addAfter(key, backoffDelay(backoff, failures, this.#random), priority)
  }

  /** Resets the back-off of a key after a success. */
  forget(key: string): void {
    this.#failures.delete(key)
  }

  /** Number of consecutive failures of a key. */
  retries(key: string): number {
    return this.#failures.get(key) ?? 0
  }

  /** Waits for the next key; undefined when the queue is shut down or the signal aborts. */
  get(signal: AbortSignal): Promise<Work | undefined> {
    if (signal.aborted) return Promise.resolve(undefined)
    const item = this.#ready.pop()
    if (item) return Promise.resolve(this.#take(item))
    if (this.#isShutDown && this.#held.size === 0) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      const take = (work: Work | undefined): void => {
        this.#waiters.delete(take)
        signal.removeEventListener('abort', leave)
        resolve(work)
      }
      const leave = (): void => take(undefined)
      this.#waiters.add(take)
      signal.addEventListener('abort', leave, { once: true })
    })
  }

  /** Marks a key as processed, successful or not. */
  done(key: string): void {
    if (!this.#processing.delete(key)) return
    this.#metrics.done(key)
    const item = this.#items.get(key)
    if (item && this.#held.delete(item)) this.#ready.push(item)
    this.#serveWaiters()
    this.#finishShutdown()
  }

  /**
   * Stops accepting keys. Keys in progress finish; with `drain` ready keys are still processed; all others are dropped. The
   * promise resolves when no worker is busy.
   */
  shutDown(options: { readonly drain?: boolean } = {}): Promise<void> {
    this.#isShutDown = true
    this.#timer?.cancel()
    this.#timer = undefined
    for (const item of this.#items.values()) {
      if (this.#delayed.has(item)) this.#items.delete(item.key)
      else if (!options.drain) {
        this.#items.delete(item.key)
        this.#metrics.forgotten(item.key, item.priority)
      }
    }
    this.#delayed.clear()
    if (!options.drain) {
      this.#ready.clear()
      this.#held.clear()
    }
    this.#finishShutdown()
    return this.#drained.promise
  }

  #merge(item: Item, readyAt: number, priority: number): void {
    const raised = priority > item.priority
    if (this.#delayed.has(item)) {
      item.priority = Math.max(item.priority, priority)
      item.readyAt = Math.min(item.readyAt, readyAt)
      this.#delayed.moved(item)
    } else if (raised) {
      this.#metrics.priorityRaised(item.priority, priority)
      item.priority = priority
      this.#ready.moved(item)
    }
  }

  #enter(item: Item): void {
    this.#items.set(item.key, item)
    this.#delayed.push(item)
  }

  /** Moves due keys to the ready heap, and sets the timer for the next delayed key. */
  #release(): void {
    const now = this.#clock.elapsed()
    for (let item = this.#delayed.first; item && item.readyAt <= now; item = this.#delayed.first) {
      this.#delayed.remove(item)
      item.order = this.#nextOrder++
      this.#metrics.ready(item.key, item.priority)
      if (this.#processing.has(item.key)) this.#held.add(item)
      else this.#ready.push(item)
    }
    this.#setTimer(now)
    this.#serveWaiters()
  }

  #setTimer(now: number): void {
    const at = this.#delayed.first?.readyAt
    if (at === this.#timer?.at) return
    this.#timer?.cancel()
    this.#timer = undefined
    if (at === undefined) return
    const cancel = this.#clock.after(at - now, () => {
      this.#timer = undefined
      this.#release()
    })
    this.#timer = { at, cancel }
  }

  #serveWaiters(): void {
    for (const take of this.#waiters) {
      const item = this.#ready.pop()
      if (!item) return
      take(this.#take(item))
    }
  }

  #take(item: Item): Work {
    this.#items.delete(item.key)
    this.#processing.add(item.key)
    this.#metrics.taken(item.key, item.priority)
    return { key: item.key, priority: item.priority }
  }

  #finishShutdown(): void {
    if (!this.#isShutDown || this.#items.size > 0) return
    for (const take of this.#waiters) take(undefined)
    if (this.#processing.size === 0) this.#drained.resolve()
  }
}
