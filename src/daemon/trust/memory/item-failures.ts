import type { BackoffPolicy } from '@machinist/core/backoff'
import { backoffDelay } from '@machinist/core/backoff'
import type { Clock } from '@machinist/core/clock'
import type { Random } from '@machinist/core/random'
import type { TrustItem } from '../../../api/trust/items.ts'
import type { ItemFailure } from '../facts/facts.ts'

interface KnownFailure {
  readonly desired: string | undefined
  readonly message: string
  readonly tries: number
  /** Absent: no retry before the source or the disk changes. */
  readonly retryAt?: number
  readonly failures: ReadonlyMap<string, string>
}

interface NewFailure {
  readonly desired: string | undefined
  readonly message: string
  /** A retry cannot help. */
  readonly isFinal?: boolean
  readonly failures?: ReadonlyMap<string, string>
}

const pace: BackoffPolicy = { firstMs: 5000, maxMs: 300_000, factor: 2, jitter: 0.5 }

/** The failures of items and the times of their retries. One failed item never delays another. */
export class ItemFailures {
  readonly #clock: Clock
  readonly #random: Random
  readonly #known = new Map<TrustItem, KnownFailure>()

  constructor(clock: Clock, random: Random) {
    this.#clock = clock
    this.#random = random
  }

  of(item: TrustItem): ItemFailure | undefined {
    const kept = this.#known.get(item)
    if (!kept) return undefined
    const { desired, message, retryAt, failures } = kept
    const isBackingOff = retryAt === undefined || this.#clock.elapsed() < retryAt
    return {
      message,
      isBackingOff,
      ...(desired !== undefined && { desired }),
      ...(failures.size > 0 && { holdings: failures }),
    }
  }

  add(item: TrustItem, { desired, message, isFinal, failures = new Map() }: NewFailure): void {
    const before = this.#known.get(item)
    const tries = before?.desired === desired ? (before?.tries ?? 0) : 0
    const retryAt = this.#clock.elapsed() + backoffDelay(pace, tries, this.#random)
    const kept = { desired, message, failures, tries: tries + 1 }
    this.#known.set(item, isFinal ? kept : { ...kept, retryAt })
  }

  clear(item: TrustItem): void {
    this.#known.delete(item)
  }

  /** Makes all retries due: the payload that they need has just been fetched. */
  retryNow(): void {
    const retryAt = this.#clock.elapsed()
    for (const [item, kept] of this.#known) {
      if (kept.retryAt !== undefined) this.#known.set(item, { ...kept, retryAt })
    }
  }

  /** Clears a final failure after a change on disk: the content may be usable now. */
  reconsider(item: TrustItem): void {
    const kept = this.#known.get(item)
    if (kept && kept.retryAt === undefined) this.clear(item)
  }

  /** Time until the next retry; undefined if there is none. */
  waitMs(): number | undefined {
    const times = [...this.#known.values()].flatMap(({ retryAt }) => retryAt ?? [])
    return times.length === 0 ? undefined : Math.max(0, Math.min(...times) - this.#clock.elapsed())
  }
}
