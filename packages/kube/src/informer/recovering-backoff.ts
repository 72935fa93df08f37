import type { BackoffPolicy } from '@machinist/core/backoff'
import { backoffDelay } from '@machinist/core/backoff'
import type { Clock } from '@machinist/core/clock'
import { sleep } from '@machinist/core/clock'
import type { Random } from '@machinist/core/random'

/** A back-off that resets after a time without failures. */
export class RecoveringBackoff {
  readonly #clock: Clock
  readonly #random: Random
  readonly #policy: BackoffPolicy
  readonly #healthyAfterMs: number
  #attempt = 0
  #resumedAt = 0

  constructor(clock: Clock, random: Random, policy: BackoffPolicy, healthyAfterMs: number) {
    this.#clock = clock
    this.#random = random
    this.#policy = policy
    this.#healthyAfterMs = healthyAfterMs
  }

  /** The delay after another failure. */
  next(atLeastMs = 0): number {
    if (this.#clock.elapsed() - this.#resumedAt >= this.#healthyAfterMs) this.#attempt = 0
    return Math.max(backoffDelay(this.#policy, this.#attempt++, this.#random), atLeastMs)
  }

  async wait(ms: number, signal: AbortSignal): Promise<void> {
    await sleep(this.#clock, ms, signal)
    this.#resumedAt = this.#clock.elapsed()
  }
}
