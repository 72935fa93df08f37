import type { Clock } from '@machinist/core/clock'
import type { LogFields, Logger } from '@machinist/core/log'
import { messageOf } from '@machinist/core/errors'
import type { Process } from './process.ts'

type Line = readonly [at: number, who: string, what: string, fields: LogFields | undefined]

/** The log of a simulation: the last lines as text, and a digest of all lines to compare two runs. */
export class Trace {
  readonly #clock: Clock
  readonly #keep: number
  #lines: Line[] = []
  #hash = 0x811c9dc5
  #count = 0
  #listener: ((who: string, text: string) => void) | undefined

  constructor(clock: Clock, keep = 200) {
    this.#clock = clock
    this.#keep = keep
  }

  /** Adds a line that is part of the digest. */
  note(who: string, what: string): void {
    const at = this.#clock.elapsed()
    this.#mix(at.toString(36))
    this.#mix(who)
    this.#mix(what)
    this.#count += 1
    this.#remember([at, who, what, undefined])
  }

  /** Calls `listener` for every log line. */
  listen(listener: (who: string, text: string) => void): void {
    this.#listener = listener
  }

  /** A logger whose lines are not part of the digest. */
  logger(process: Process, bound: LogFields = {}): Logger {
    const write = (what: string, fields?: LogFields): void => {
      if (!process.isAlive) return
      const all = { ...bound, ...fields }
      this.#remember([this.#clock.elapsed(), process.name, what, all])
      this.#listener?.(process.name, `${what} ${JSON.stringify(all)}`)
    }
    return {
      debug() {},
      info: write,
      error: (what, error, fields) => write(what, { ...fields, error: messageOf(error) }),
      with: (fields) => this.logger(process, { ...bound, ...fields }),
    }
  }

  get digest(): string {
    return `${this.#count}-${(this.#hash >>> 0).toString(16)}`
  }

  last(): string[] {
    return this.#lines.slice(-this.#keep).map(([at, who, what, fields]) => {
      const more = fields ? ` ${JSON.stringify(fields)}` : ''
      return `${(at / 1000).toFixed(3).padStart(10)}s ${who}: ${what}${more}`
    })
  }

  #remember(line: Line): void {
    this.#lines.push(line)
    if (this.#lines.length > 4 * this.#keep) this.#lines = this.#lines.slice(-this.#keep)
  }

  #mix(text: string): void {
    for (let i = 0; i < text.length; i++) {
      this.#hash = Math.imul(this.#hash ^ text.charCodeAt(i), 0x01000193)
    }
  }
}
