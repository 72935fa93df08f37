const longestMs = 30_000

/** What there is to say: nothing new, more of the same, or that something is no longer what it was. */
export type News = 'none' | 'more' | 'turn'

/**
 * How often a status may be written. News are collected for a moment; while they keep coming and nothing turns, for longer
 * and longer: thousands of nodes that report one after the other are a handful of writes.
 */
export class Pace {
  readonly #batchMs: number
  #gapMs: number
  #lastWrite = -Infinity
  /** Since when there is something to say. */
  #dueSince: number | undefined
  #isTurn = false

  constructor(batchMs: number) {
    this.#batchMs = batchMs
    this.#gapMs = batchMs
  }

  /** 0: now. Undefined: all has been said. */
  waitMs(news: News, now: number): number | undefined {
    if (news === 'none') {
      this.#dueSince = undefined
      return undefined
    }
    this.#dueSince ??= now
    this.#isTurn = news === 'turn'
    const calm = this.#dueSince + this.#batchMs
    const due = this.#isTurn ? calm : Math.max(calm, this.#lastWrite + this.#gapMs)
    return Math.max(0, due - now)
  }

  wrote(now: number): void {
    this.#gapMs = this.#isTurn ? this.#batchMs : Math.min(this.#gapMs * 2, longestMs)
    this.#lastWrite = now
    this.#dueSince = undefined
  }
}
