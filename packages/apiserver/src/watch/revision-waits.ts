import type { Clock } from '@machinist/core/clock'

interface Wait {
  readonly revision: number
  readonly done: (reached: boolean) => void
}

/** Requests that wait for the store to reach a revision. */
export class RevisionWaits {
  readonly #clock: Clock
  readonly #waits = new Set<Wait>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Whether the revision was reached in time. */
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
