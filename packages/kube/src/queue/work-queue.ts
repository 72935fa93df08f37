import type { BackoffPolicy } from '@machinist/core/backoff'
import { backoffDelay } from '@machinist/core/backoff'
import type { Cancel, Clock } from '@machinist/core/clock'
import type { Metrics } from '@machinist/core/metrics'
import type { Random } from '@machinist/core/random'
import { Heap } from './heap.ts'
import type { QueueMetrics } from './queue-metrics.ts'
import { queueMetrics } from './queue-metrics.ts'

export interface WorkQueueOptions {
  /** As metrics call it: the name of the controller. */
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
  /** In the clock's elapsed time. */
  readyAt: number
  /** Its turn among equals: first come, first served. Given when it is added, and anew when it becomes ready. */
  order: number
}

const backoff: BackoffPolicy = { firstMs: 5, maxMs: 1_000_000, factor: 2, jitter: 0.1 }

/**
 * Keys that want work. A key waits at most once, however often it is added, and is never given to two workers: what is
 * added while somebody works on it waits until that work is done. Added twice, the higher priority and the earlier time
 * count.
 */
export class WorkQueue {
  readonly #clock: Clock
  readonly #random: Random
  readonly #metrics: QueueMetrics
  /** Every key that waits, in any of the three places below. */
  readonly #items = new Map<string, Item>()
  readonly #delayed = new Heap<Item>(
    (a, b) => a.readyAt < b.readyAt || (a.readyAt === b.readyAt && a.order < b.order),
  )
  readonly #ready = new Heap<Item>(
    (a, b) => a.priority > b.priority || (a.priority === b.priority && a.order < b.order),
  )
  /** Ready, but somebody works on an earlier state of the key. */
  readonly #held = new Set<Item>()
  readonly #working = new Set<string>()
  readonly #failures = new Map<string, number>()
  readonly #takers = new Set<(work: Work | undefined) => void>()
  readonly #drained = Promise.withResolvers<void>()
  #turns = 0
  #timer: { readonly at: number; readonly cancel: Cancel } | undefined
  #isShutDown = false

  constructor(options: WorkQueueOptions) {
    this.#clock = options.clock
    this.#random = options.random
    this.#metrics = queueMetrics(options.metrics, options.clock, options.name)
  }

  /** How many keys could be taken now. */
  get depth(): number {
    return this.#ready.size
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
    else this.#enter({ key, priority, readyAt, order: this.#turns++ })
    this.#release()
  }

  /** After a failure: the next try comes later than the one before. */
  addRateLimited(key: string, priority = 0): void {
    const failures = this.retries(key)
    this.#failures.set(key, failures + 1)
    this.addAfter(key, backoffDelay(backoff, failures, this.#random), priority)
  }

  /** The key's work went well: its next failure is a first one. */
  forget(key: string): void {
    this.#failures.delete(key)
  }

  /** How often the key has failed in a row. */
  retries(key: string): number {
    return this.#failures.get(key) ?? 0
  }

  /** The next key, as soon as there is one; nothing once the queue is shut down or the signal aborts. */
  get(signal: AbortSignal): Promise<Work | undefined> {
    if (signal.aborted) return Promise.resolve(undefined)
    const item = this.#ready.pop()
    if (item) return Promise.resolve(this.#hand(item))
    if (this.#isShutDown && this.#held.size === 0) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      const take = (work: Work | undefined): void => {
        this.#takers.delete(take)
        signal.removeEventListener('abort', leave)
        resolve(work)
      }
      const leave = (): void => take(undefined)
      this.#takers.add(take)
      signal.addEventListener('abort', leave, { once: true })
    })
  }

  /** The work on a key that was taken is over, well or not. */
  done(key: string): void {
    if (!this.#working.delete(key)) return
    this.#metrics.done(key)
    const item = this.#items.get(key)
    if (item && this.#held.delete(item)) this.#ready.push(item)
    this.#serve()
    this.#settle()
  }

  /**
   * Takes no more keys in. What is being worked on may finish, and with `drain` what is ready is still handed out; the
   * rest is forgotten. The promise resolves when nobody works any more.
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
    this.#settle()
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

  /** Moves on what has become ready, and sets the one timer for what comes next. */
  #release(): void {
    const now = this.#clock.elapsed()
    for (let item = this.#delayed.first; item && item.readyAt <= now; item = this.#delayed.first) {
      this.#delayed.remove(item)
      item.order = this.#turns++
      this.#metrics.ready(item.key, item.priority)
      if (this.#working.has(item.key)) this.#held.add(item)
      else this.#ready.push(item)
    }
    this.#setTimer(now)
    this.#serve()
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

  #serve(): void {
    for (const take of this.#takers) {
      const item = this.#ready.pop()
      if (!item) return
      take(this.#hand(item))
    }
  }

  #hand(item: Item): Work {
    this.#items.delete(item.key)
    this.#working.add(item.key)
    this.#metrics.taken(item.key, item.priority)
    return { key: item.key, priority: item.priority }
  }

  #settle(): void {
    if (!this.#isShutDown || this.#items.size > 0) return
    for (const take of this.#takers) take(undefined)
    if (this.#working.size === 0) this.#drained.resolve()
  }
}
