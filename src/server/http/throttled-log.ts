import type { Clock } from '@machinist/core/clock'
import type { LogFields, Logger } from '@machinist/core/log'

const windowMs = 60_000
/** Kinds come from code and names of pools; the limit is a safeguard. */
const maxKinds = 1000

interface Window {
  readonly since: number
  suppressed: number
}

/** Logs each kind of line once per minute, with the number of lines that were left out: clients decide how often they occur. */
export class ThrottledLog {
  readonly #log: Logger
  readonly #clock: Clock
  readonly #windows = new Map<string, Window>()

  constructor(log: Logger, clock: Clock) {
    this.#log = log
    this.#clock = clock
  }

  info(kind: string, message: string, fields: LogFields): void {
    const now = this.#clock.elapsed()
    const window = this.#windows.get(kind)
    if (window && now - window.since < windowMs) {
      window.suppressed++
      return
    }
    if (!window && this.#windows.size >= maxKinds) this.#windows.clear()
    this.#windows.set(kind, { since: now, suppressed: 0 })
    const repeated = window && window.suppressed > 0 && { repeated: window.suppressed }
    this.#log.info(message, { ...fields, ...repeated })
  }
}
