import type { BackoffPolicy } from '@machinist/core/backoff'
import { backoffDelay } from '@machinist/core/backoff'
import type { Clock } from '@machinist/core/clock'
import { canonicalJson } from '@machinist/core/encoding/json'
import type { Random } from '@machinist/core/random'
import type { TrustItem } from '../../../api/trust/items.ts'
import type { DesiredTrust } from '../desired/desired-trust.ts'

/** Reads at start are spread over a shorter period: a node that was off is behind already. */
const startShare = 0.2
const pace: BackoffPolicy = { firstMs: 1000, maxMs: 60_000, factor: 2, jitter: 0.5 }
/** Back off when another writer keeps reverting the file. */
const repairPace: BackoffPolicy = { firstMs: 1000, maxMs: 300_000, factor: 2, jitter: 0 }
const quietMs = 900_000

/**
 * When to read the ControllerConfig and to write. Nodes spread their reads of a change that concerns all of them; a change on
 * this disk is repaired at once.
 */
export class ReadDelay {
  readonly #clock: Clock
  readonly #random: Random
  readonly #spreadMs: number
  #due: number | undefined
  #last: string | undefined
  /** Repairs in a row per item, and the time of the last one. */
  readonly #repairs = new Map<TrustItem, { readonly count: number; readonly at: number }>()
  #failures = 0

  constructor(clock: Clock, random: Random, spreadMs: number) {
    this.#clock = clock
    this.#random = random
    this.#spreadMs = spreadMs
  }

  /** Time to wait before these items are handled. */
  before(desired: DesiredTrust, items: readonly TrustItem[]): number {
    if (this.#last === canonicalJson(desired)) {
      return Math.min(...items.map((item) => this.#beforeRepair(item)))
    }
    const spreadMs = this.#last === undefined ? this.#spreadMs * startShare : this.#spreadMs
    this.#due ??= this.#clock.elapsed() + this.#random.next() * spreadMs
    return Math.max(0, this.#due - this.#clock.elapsed())
  }

  /** Records that a desired state was handled, with the items that were written or removed for it. */
  done(desired: DesiredTrust, items: readonly TrustItem[]): void {
    const text = canonicalJson(desired)
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

  /** Time to wait after a request to the API server failed. */
  afterFailure(): number {
    return backoffDelay(pace, this.#failures++, this.#random)
  }
}
