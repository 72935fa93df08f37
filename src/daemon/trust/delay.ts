import type { BackoffPolicy } from '@machinist/core/backoff'
import { backoffDelay } from '@machinist/core/backoff'
import type { Clock } from '@machinist/core/clock'
import type { TrustItem } from '../../api/trust/items.ts'
import { canonicalJson } from '@machinist/core/json'
import type { Random } from '@machinist/core/random'
import type { Wanted } from './wanted.ts'

/** A fleet that starts together has to be spread, too, but a node that was off is behind already. */
const shareAtStart = 0.2
const pace: BackoffPolicy = { firstMs: 1000, maxMs: 60_000, factor: 2, jitter: 0.5 }
/** Somebody who writes something else again and again is not fought at any price. */
const repairPace: BackoffPolicy = { firstMs: 1000, maxMs: 300_000, factor: 2, jitter: 0 }
const quietMs = 900_000

/**
 * When to ask the cluster. What changes for all nodes at once is read by each at a moment of its own; what changed on this
 * disk only is mended at once.
 */
export class Delay {
  readonly #clock: Clock
  readonly #random: Random
  readonly #spreadMs: number
  #due: number | undefined
  #last: string | undefined
  /** How often what was delivered had to be delivered once more, and when it was last. */
  readonly #repairs = new Map<TrustItem, { readonly count: number; readonly at: number }>()
  #failures = 0

  constructor(clock: Clock, random: Random, spreadMs: number) {
    this.#clock = clock
    this.#random = random
    this.#spreadMs = spreadMs
  }

  /** How long to wait before one of these is worked at; the same answer goes down as time passes. */
  before(wanted: Wanted, items: readonly TrustItem[]): number {
    if (this.#last === canonicalJson(wanted)) {
      return Math.min(...items.map((item) => this.#beforeRepair(item)))
    }
    const spreadMs = this.#last === undefined ? this.#spreadMs * shareAtStart : this.#spreadMs
    this.#due ??= this.#clock.elapsed() + this.#random.next() * spreadMs
    return Math.max(0, this.#due - this.#clock.elapsed())
  }

  /** Everything was done for it that could be done: for these items, or for none because all is well. */
  done(wanted: Wanted, items: readonly TrustItem[]): void {
    const text = canonicalJson(wanted)
    if (this.#last !== text) this.#repairs.clear()
    this.#last = text
    this.#due = undefined
    const at = this.#clock.elapsed()
    for (const item of items) {
      const before = this.#repairs.get(item)
      const isAgain = before !== undefined && at - before.at < quietMs
      this.#repairs.set(item, { count: isAgain ? before.count + 1 : 0, at })
    }
  }

  #beforeRepair(item: TrustItem): number {
    const { count, at } = this.#repairs.get(item) ?? { count: 0, at: 0 }
    if (count === 0) return 0
    const pauseMs = backoffDelay(repairPace, count - 1, this.#random)
    return Math.max(0, at + pauseMs - this.#clock.elapsed())
  }

  succeeded(): void {
    this.#failures = 0
  }

  /** How long to wait after the cluster could not be asked or told. */
  afterFailure(): number {
    return backoffDelay(pace, this.#failures++, this.#random)
  }
}
