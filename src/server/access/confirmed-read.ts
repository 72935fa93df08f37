import type { Clock } from '@machinist/core/clock'
import { sleep } from '@machinist/core/clock'

/** Requests of unknown clients cause at most one read in this time. */
const readIntervalMs = 1000

/**
 * Reads for many callers at once. Each caller gets a read that began after its call, so that it cannot miss an earlier write;
 * callers share it. There is at most one read per interval.
 */
export class ConfirmedRead<T> {
  readonly #clock: Clock
  readonly #read: () => Promise<T>
  /** Not begun yet: it is for all callers until then. */
  #next: Promise<T> | undefined
  #lastAt = -Infinity

  constructor(clock: Clock, read: () => Promise<T>) {
    this.#clock = clock
    this.#read = read
  }

  read(): Promise<T> {
    this.#next ??= this.#begin()
    return this.#next
  }

  async #begin(): Promise<T> {
    const waitMs = this.#lastAt + readIntervalMs - this.#clock.elapsed()
    // Without a wait, too: the caller stores this promise first.
    await (waitMs > 0 ? sleep(this.#clock, waitMs) : undefined)
    this.#next = undefined
    this.#lastAt = this.#clock.elapsed()
    return await this.#read()
  }
}
