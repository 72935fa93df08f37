import type { ConditionReport } from '../../api/conditions.ts'

const longestMs = 30_000

/**
 * How often a condition may be written. News are collected for a moment; while they keep coming and the status stays the
 * same, for longer and longer: thousands of nodes that report one after the other are a handful of writes.
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
  waitMs(
    said: ConditionReport | undefined,
    report: ConditionReport,
    now: number,
  ): number | undefined {
    if (said && said.status === report.status && isSameText(said, report)) {
      this.#dueSince = undefined
      return undefined
    }
    this.#dueSince ??= now
    this.#isTurn = said?.status !== report.status
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

const isSameText = (a: ConditionReport, b: ConditionReport): boolean =>
  (a.reason ?? '') === (b.reason ?? '') && (a.message ?? '') === (b.message ?? '')
