import type { Clock } from '@machinist/core/clock'

/** Batches changes: a key waits for a fixed time after its first change, however many follow. */
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

  /** The remaining time of the window; 0 if it is not open or has elapsed. */
  remaining(key: string): number {
    const openedAt = this.#openedAt.get(key)
    return openedAt === undefined ? 0 : Math.max(0, openedAt + this.#ms - this.#clock.elapsed())
  }

  close(key: string): void {
    this.#openedAt.delete(key)
  }
}
