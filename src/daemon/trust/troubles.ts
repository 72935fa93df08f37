import type { TrustItem } from '../../api/trust/items.ts'
import type { BackoffPolicy } from '@machinist/core/backoff'
import { backoffDelay } from '@machinist/core/backoff'
import type { Clock } from '@machinist/core/clock'
import type { Random } from '@machinist/core/random'
import type { Trouble } from './decide.ts'

interface Kept {
  readonly wanted: string | undefined
  readonly message: string
  readonly tries: number
  /** Absent: not before something changes. */
  readonly retryAt?: number
  readonly failures: ReadonlyMap<string, string>
}

interface NewTrouble {
  readonly wanted: string | undefined
  readonly message: string
  /** Trying again cannot help. */
  readonly isFinal?: boolean
  readonly failures?: ReadonlyMap<string, string>
}

const pace: BackoffPolicy = { firstMs: 5000, maxMs: 300_000, factor: 2, jitter: 0.5 }

/** Items that could not be delivered: what was wrong, and when they are tried again. One never keeps another waiting. */
export class Troubles {
  readonly #clock: Clock
  readonly #random: Random
  readonly #kept = new Map<TrustItem, Kept>()

  constructor(clock: Clock, random: Random) {
    this.#clock = clock
    this.#random = random
  }

  of(item: TrustItem): Trouble | undefined {
    const kept = this.#kept.get(item)
    if (!kept) return undefined
    const { wanted, message, retryAt } = kept
    const rests = retryAt === undefined || this.#clock.elapsed() < retryAt
    return { message, rests, ...(wanted !== undefined && { wanted }) }
  }

  failures(item: TrustItem): ReadonlyMap<string, string> | undefined {
    return this.#kept.get(item)?.failures
  }

  add(item: TrustItem, { wanted, message, isFinal, failures = new Map() }: NewTrouble): void {
    const before = this.#kept.get(item)
    const tries = before?.wanted === wanted ? (before?.tries ?? 0) : 0
    const retryAt = this.#clock.elapsed() + backoffDelay(pace, tries, this.#random)
    const kept = { wanted, message, failures, tries: tries + 1 }
    this.#kept.set(item, isFinal ? kept : { ...kept, retryAt })
  }

  over(item: TrustItem): void {
    this.#kept.delete(item)
  }

  /** What it takes is at hand: those that are to be tried again are tried together. */
  tryNow(): void {
    const retryAt = this.#clock.elapsed()
    for (const [item, kept] of this.#kept) {
      if (kept.retryAt !== undefined) this.#kept.set(item, { ...kept, retryAt })
    }
  }

  /** Something changed there: what could not be used before perhaps can now. */
  reconsider(item: TrustItem): void {
    const kept = this.#kept.get(item)
    if (kept && kept.retryAt === undefined) this.over(item)
  }

  /** How long until one of them is tried again; undefined if none is. */
  waitMs(): number | undefined {
    const times = [...this.#kept.values()].flatMap(({ retryAt }) => retryAt ?? [])
    return times.length === 0 ? undefined : Math.max(0, Math.min(...times) - this.#clock.elapsed())
  }
}
