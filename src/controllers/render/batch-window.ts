import type { Clock } from '@machinist/core/clock'

/** Collects changes: from the first one on, a key rests for a while, however many more come in the meantime. */
export class BatchWindow {
  readonly #clock: Clock
  readonly #ms: number
  readonly #openedAt = new Map<string, number>()

  constructor(clock: Clock, ms: number) {
    this.#clock = clock
    this.#ms = ms
  }

  open(key: string): void {
    if (!this.#openedAt.has(key)) this.#openedAt.set(key, this.#clock.elapsed())
  }

  /** How long to rest still; 0 if nothing was collected, or long enough. */
  remaining(key: string): number {
    const openedAt = this.#openedAt.get(key)
    return openedAt === undefined ? 0 : Math.max(0, openedAt + this.#ms - this.#clock.elapsed())
  }

  close(key: string): void {
    this.#openedAt.delete(key)
  }
}
