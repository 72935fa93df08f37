import type { Cancel, Clock } from '@machinist/core/clock'
import { sleep } from '@machinist/core/clock'

/** Notifies subscribers that something changed. They read the current value themselves. */
export class Changes {
  readonly #subscribers = new Set<() => void>()

  subscribe(changed: () => void): Cancel {
    this.#subscribers.add(changed)
    return () => void this.#subscribers.delete(changed)
  }

  notify(): void {
    for (const changed of this.#subscribers) changed()
  }
}

/** Lets a loop wait for the next change. Changes between two waits count. */
export class ChangeWait {
  readonly #clock: Clock
  readonly #signal: AbortSignal
  #isDue = false
  #waiting = new AbortController()

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock
    this.#signal = signal
    signal.addEventListener('abort', () => this.#waiting.abort(), { once: true })
  }

  readonly changed = (): void => {
    this.#isDue = true
    this.#waiting.abort()
  }

  /** Resolves after a change, after `ms`, or when the signal aborts. Returns whether there was a change. */
  async next(ms: number): Promise<boolean> {
    if (!this.#isDue && !this.#signal.aborted) {
      this.#waiting = new AbortController()
      await sleep(this.#clock, ms, this.#waiting.signal)
    }
    const isDue = this.#isDue
    this.#isDue = false
    return isDue
  }
}
