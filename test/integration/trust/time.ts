import { setTimeout as pause } from 'node:timers/promises'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { until } from '@machinist/testing/until'

/** Virtual time per poll while no component waits for a response. */
const stepMs = 2000
const grainMs = 250

/**
 * The virtual time of all components of a cluster. It passes only while none of them waits for the API server, so that a busy
 * machine causes no timeouts.
 */
export class Time {
  readonly clock = new VirtualClock(Date.now())
  #asking = 0

  /** Stops until the response arrives. */
  async still<T>(answer: Promise<T>): Promise<T> {
    this.#asking++
    try {
      return await answer
    } finally {
      this.#asking--
    }
  }

  until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
    return until(what, async () => {
      if (await condition()) return true
      await this.#step(stepMs)
      // Conditions send requests, too, so they are not evaluated all the time.
      await pause(8)
      return false
    })
  }

  /** The same with very little virtual time. */
  meanwhile(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
    return until(what, async () => {
      await this.clock.advance(1)
      return await condition()
    })
  }

  async pass(ms: number): Promise<void> {
    const end = this.clock.elapsed() + ms
    while (this.clock.elapsed() < end) {
      await this.#step(Math.min(stepMs, end - this.clock.elapsed()))
      await pause(2)
    }
  }

  async #step(ms: number): Promise<void> {
    const end = this.clock.elapsed() + ms
    while (this.#asking === 0 && this.clock.elapsed() < end) {
      await this.clock.advance(Math.min(grainMs, end - this.clock.elapsed()))
    }
  }
}
