import type { Clock } from '@machinist/core/clock'

interface Wait {
  readonly revision: number
  readonly done: (reached: boolean) => void
}

/** Those who wait for the store to get as far as some revision. */
export class RevisionWaits {
  readonly #clock: Clock
  readonly #waits = new Set<Wait>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Whether it was reached in time. */
  wait(revision: number, ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const wait = {
        revision,
        done: (reached: boolean): void => {
          this.#waits.delete(wait)
          cancel()
          resolve(reached)
        },
      }
      const cancel = this.#clock.after(ms, () => wait.done(false))
      this.#waits.add(wait)
    })
  }

  reached(revision: number): void {
    for (const wait of this.#waits) {
      if (wait.revision <= revision) wait.done(true)
    }
  }

  giveUp(): void {
    for (const wait of this.#waits) wait.done(false)
  }
}
