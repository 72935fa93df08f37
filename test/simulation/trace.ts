import type { Clock } from '@machinist/core/clock'
import type { Fields, Logger } from '@machinist/core/log'
import { messageOf } from '@machinist/core/errors'
import type { Process } from './process.ts'

type Line = readonly [at: number, who: string, what: string, fields: Fields | undefined]

/** What happened, in order: the last of it to read, all of it as one number by which two runs can be compared. */
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

  /** Part of the digest. */
  note(who: string, what: string): void {
    const at = this.#clock.elapsed()
    this.#mix(at.toString(36))
    this.#mix(who)
    this.#mix(what)
    this.#count += 1
    this.#remember([at, who, what, undefined])
  }

  /** Hears every line of every log. */
  listen(listener: (who: string, text: string) => void): void {
    this.#listener = listener
  }

  /** For people only. */
  logger(process: Process, bound: Fields = {}): Logger {
    const say = (what: string, fields?: Fields): void => {
      if (!process.isAlive) return
      const told = { ...bound, ...fields }
      this.#remember([this.#clock.elapsed(), process.name, what, told])
      this.#listener?.(process.name, `${what} ${JSON.stringify(told)}`)
    }
    return {
      debug() {},
      info: say,
      error: (what, error, fields) => say(what, { ...fields, error: messageOf(error) }),
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
