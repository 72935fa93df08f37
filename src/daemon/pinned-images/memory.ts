import type { BackoffPolicy } from '@machinist/core/backoff'
import { backoffDelay } from '@machinist/core/backoff'
import type { Clock } from '@machinist/core/clock'
import type { Random } from '@machinist/core/random'
import { jitter } from '@machinist/core/random'

/** Delay before sets are read again whose digest differs from the announced one. */
const rereadMs = 30_000
/** Delay before images are unpinned: the announcement may be missing only for a moment. */
const releaseMs = 30_000
/** Images may be removed by a user, or by the runtime before they were pinned. */
const sweepMs = 30 * 60_000
const pace: BackoffPolicy = { firstMs: 5000, maxMs: 300_000, factor: 2, jitter: 0.5 }
const reportPace: BackoffPolicy = { firstMs: 10_000, maxMs: 600_000, factor: 2, jitter: 0.5 }

/** When to read, unpin and retry. It is only in memory: losing it is harmless. */
export class PinnedImagesMemory {
  readonly #clock: Clock
  readonly #random: Random
  readonly #spreadMs: number
  /** Whether this daemon has pinned or unpinned images. */
  isActive = false
  /** When the sets of a digest are read, or read again. */
  #due: { readonly digest: string; readonly at: number } | undefined
  #releaseAt: number | undefined
  /** Consecutive incomplete prefetches. */
  #tries = 0
  /** Consecutive failed reports. */
  #failedReports = 0

  /** Nodes spread their reads of a change over `spreadMs`. */
  constructor(clock: Clock, random: Random, spreadMs: number) {
    this.#clock = clock
    this.#random = random
    this.#spreadMs = spreadMs
  }

  /** Time to wait before the sets of a new digest are read. */
  beforeRead(digest: string): number {
    const now = this.#clock.elapsed()
    if (this.#due?.digest !== digest) {
      this.#due = { digest, at: now + this.#random.next() * this.#spreadMs }
    }
    return Math.max(0, this.#due.at - now)
  }

  /** The sets of a digest were read. `isNew`: they differ from those that were read before. */
  read(digest: string, isNew: boolean): void {
    if (isNew) this.#tries = 0
    this.#due = { digest, at: this.#clock.elapsed() + jitter(this.#random, rereadMs, 0.5) }
  }

  /** Time to wait before the sets are read again. */
  beforeReread(): number {
    return Math.max(0, (this.#due?.at ?? 0) - this.#clock.elapsed())
  }

  /** Time to wait before images are unpinned. */
  beforeRelease(): number {
    this.#releaseAt ??= this.#clock.elapsed() + jitter(this.#random, releaseMs, 0.5)
    return Math.max(0, this.#releaseAt - this.#clock.elapsed())
  }

  /** Images are announced again. */
  cancelRelease(): void {
    this.#releaseAt = undefined
  }

  /** Time to wait after an incomplete prefetch. */
  afterFailure(): number {
    return backoffDelay(pace, this.#tries++, this.#random)
  }

  succeeded(): void {
    this.#tries = 0
  }

  /** Time to wait before the next verification of complete images. */
  beforeSweep(): number {
    return jitter(this.#random, sweepMs, 0.2)
  }

  /** Time to wait after a failed report. */
  afterFailedReport(): number {
    return backoffDelay(reportPace, this.#failedReports++, this.#random)
  }

  reported(): void {
    this.#failedReports = 0
  }
}
