import type { Random } from '@machinist/core/random'
import { between } from '@machinist/core/random'

/** What becomes of one request. */
export interface Fate {
  /** How long it is on its way. It arrives even if nobody waits for it any more. */
  readonly travelMs: number
  /** Refused with this code instead of being carried out. */
  readonly refuse?: 429 | 500 | 503
  /** Carried out, but nobody hears of it. */
  readonly loseAnswer?: true
  readonly answerMs: number
}

/** What becomes of one event on a stream, and of the stream. */
export type EventFate =
  | { readonly is: 'delivered'; readonly times: number; readonly lateMs: number }
  /** The connection breaks; `torn` in the middle of the event. */
  | { readonly is: 'cut' | 'torn' }
  /** Nothing more comes, and nobody is told. */
  | { readonly is: 'silent' }
  /** The server ends it: as if its time were over, or because its history is gone. */
  | { readonly is: 'ended' | 'expired' }

/** What the network and the API server are like. Between storms everything works. */
export class Weather {
  readonly #random: Random
  /** How often something goes wrong, of 1. */
  #badness = 0
  readonly #cutOff = new Set<string>()

  constructor(random: Random) {
    this.#random = random
  }

  storm(badness: number): void {
    this.#badness = badness
  }

  /** Nobody reaches this one, and it reaches nobody. */
  cutOff(who: string): void {
    this.#cutOff.add(who)
  }

  mend(who?: string): void {
    if (who === undefined) this.#cutOff.clear()
    else this.#cutOff.delete(who)
  }

  reaches(who: string): boolean {
    return !this.#cutOff.has(who)
  }

  request(): Fate {
    const random = this.#random
    const travelMs = between(random, 1, 15)
    // Most answers are there at once: what takes time is the way.
    const answerMs = random.next() < 0.8 ? 0 : between(random, 1, 15)
    if (this.#badness === 0 || random.next() >= this.#badness) return { travelMs, answerMs }
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
    if (this.#badness === 0 || random.next() >= this.#badness) return onTime
    const dice = random.next()
    if (dice < 0.4) return { is: 'delivered', times: 1, lateMs: between(random, 1000, 60_000) }
    if (dice < 0.6) return { is: 'delivered', times: 2, lateMs: 0 }
    if (dice < 0.7) return { is: 'cut' }
    if (dice < 0.8) return { is: 'torn' }
    if (dice < 0.87) return { is: 'silent' }
    return { is: dice < 0.94 ? 'ended' : 'expired' }
  }
}

const onTime: EventFate = { is: 'delivered', times: 1, lateMs: 0 }
