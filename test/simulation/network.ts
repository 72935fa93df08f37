import type { Random } from '@machinist/core/random'
import { between } from '@machinist/core/random'

/** How the network treats one request. */
export interface RequestFate {
  /** Travel time. The request arrives even if its sender gave up. */
  readonly travelMs: number
  /** Rejected with this code. */
  readonly refuse?: 429 | 500 | 503
  /** Carried out, but the response is lost. */
  readonly loseAnswer?: true
  readonly answerMs: number
}

/** How the network treats one event on a stream. */
export type EventFate =
  | { readonly type: 'delivered'; readonly times: number; readonly lateMs: number }
  /** The connection breaks; `torn` in the middle of the event. */
  | { readonly type: 'cut' | 'torn' }
  /** No more events arrive, without an error. */
  | { readonly type: 'silent' }
  /** The server ends the stream: at its timeout, or because its history was compacted. */
  | { readonly type: 'ended' | 'expired' }

/** The simulated network and load of the API server. Between storms there are no errors. */
export class SimulatedNetwork {
  readonly #random: Random
  /** Probability of an error. */
  #errorRate = 0
  readonly #cutOff = new Set<string>()

  constructor(random: Random) {
    this.#random = random
  }

  storm(errorRate: number): void {
    this.#errorRate = errorRate
  }

  /** Partitions an endpoint from the network. */
  cutOff(who: string): void {
    this.#cutOff.add(who)
  }

  reconnect(who?: string): void {
    if (who === undefined) this.#cutOff.clear()
    else this.#cutOff.delete(who)
  }

  reaches(who: string): boolean {
    return !this.#cutOff.has(who)
  }

  request(): RequestFate {
    const random = this.#random
    const travelMs = between(random, 1, 15)
    // Most of the delay is the travel time of the request.
    const answerMs = random.next() < 0.8 ? 0 : between(random, 1, 15)
    if (this.#errorRate === 0 || random.next() >= this.#errorRate) return { travelMs, answerMs }
    const dice = random.next()
    if (dice < 0.2) return { travelMs, answerMs, refuse: 429 }
    if (dice < 0.35) return { travelMs, answerMs, refuse: 500 }
    if (dice < 0.5) return { travelMs, answerMs, refuse: 503 }
    if (dice < 0.75) return { travelMs, answerMs, loseAnswer: true }
    if (dice < 0.9) return { travelMs: between(random, 1000, 100_000), answerMs }
    return { travelMs, answerMs: between(random, 1000, 90_000) }
  }

  event(): EventFate {
    const random = this.#random
    if (this.#errorRate === 0 || random.next() >= this.#errorRate) return onTime
    const dice = random.next()
    if (dice < 0.4) return { type: 'delivered', times: 1, lateMs: between(random, 1000, 60_000) }
    if (dice < 0.6) return { type: 'delivered', times: 2, lateMs: 0 }
    if (dice < 0.7) return { type: 'cut' }
    if (dice < 0.8) return { type: 'torn' }
    if (dice < 0.87) return { type: 'silent' }
    return { type: dice < 0.94 ? 'ended' : 'expired' }
  }
}

const onTime: EventFate = { type: 'delivered', times: 1, lateMs: 0 }
