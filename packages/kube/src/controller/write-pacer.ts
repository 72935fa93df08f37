const maxGapMs = 30_000

/** Pending changes of a status: none, more of the same, or a transition. */
export type PendingReport = 'none' | 'more' | 'transition'

/**
 * Limits how often a status is written. Changes are batched for a moment, and for longer while they keep coming without a
 * transition: reports of thousands of nodes result in a few writes.
 */
export class WritePacer {
  readonly #batchMs: number
  #gapMs: number
  #lastWrite = -Infinity
  /** Time of the first pending change. */
  #dueSince: number | undefined
  #isTransition = false

  constructor(batchMs: number) {
    this.#batchMs = batchMs
    this.#gapMs = batchMs
  }

  /** Time until the next write: 0 for now, undefined if nothing is pending. */
  waitMs(pending: PendingReport, now: number): number | undefined {
    if (pending === 'none') {
      this.#dueSince = undefined
      return undefined
    }
    this.#dueSince ??= now
    this.#isTransition = pending === 'transition'
    const batched = this.#dueSince + this.#batchMs
    const due = this.#isTransition ? batched : Math.max(batched, this.#lastWrite + this.#gapMs)
    return Math.max(0, due - now)
  }

  wrote(now: number): void {
    this.#gapMs = this.#isTransition ? this.#batchMs : Math.min(this.#gapMs * 2, maxGapMs)
    this.#lastWrite = now
    this.#dueSince = undefined
  }
}
