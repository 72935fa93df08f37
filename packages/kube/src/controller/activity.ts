import type { Cancel } from '@machinist/core/clock'

/** Whether a controller is idle: started, no key ready or being reconciled, and none that becomes ready within `ms`. */
type IsIdle = (ms: number) => boolean

interface Waiter {
  readonly withinMs: number
  readonly resolve: () => void
}

/**
 * Observes the controllers of one or several sets. Idle controllers have reconciled everything that their caches contain; changes
 * that the caches have not received yet do not count.
 */
export class Activity {
  readonly #controllers = new Set<IsIdle>()
  readonly #waiters = new Set<Waiter>()

  /** Adds a controller. Returns a function that removes it. */
  join(isIdle: IsIdle): Cancel {
    this.#controllers.add(isIdle)
    return () => {
      this.#controllers.delete(isIdle)
      this.check()
    }
  }

  /** Called by a controller that may have become idle. */
  check(): void {
    for (const waiter of this.#waiters) {
      if (!this.#isIdle(waiter.withinMs)) continue
      this.#waiters.delete(waiter)
      waiter.resolve()
    }
  }

  /** Resolves when all controllers are idle, and no key becomes ready within `withinMs`. */
  idle(withinMs = 0): Promise<void> {
    return new Promise((resolve) => {
      this.#waiters.add({ withinMs, resolve })
      this.check()
    })
  }

  #isIdle(withinMs: number): boolean {
    return [...this.#controllers].every((isIdle) => isIdle(withinMs))
  }
}
