import { InvalidInput, messageOf } from '@machinist/core/errors'
import type { Logger } from '@machinist/core/log'
import type { Files } from '@machinist/core/files'
import type { Checked } from './material.ts'
import type { Source } from './target.ts'

export interface RereadOptions<T> {
  /** For messages: `the token`. */
  readonly what: string
  readonly sources: readonly Source[]
  readonly check: (texts: readonly string[]) => Checked<T>
  readonly files: Files
  readonly logger: Logger
}

/**
 * A value that lives in files. It is read again and again; a file that is half-written, unreadable or nonsense leaves the
 * last good value in use, and is reported once.
 */
export class Reread<T> {
  readonly #options: RereadOptions<T>
  #texts: readonly string[] | undefined
  #value: { readonly value: T } | undefined
  #reported: string | undefined

  constructor(options: RereadOptions<T>) {
    this.#options = options
  }

  /** Does it come from files at all, so that looking again can make a difference? */
  get changeable(): boolean {
    return this.#options.sources.some((source) => 'file' in source)
  }

  /** The last good value. Throws InvalidInput when there has not been one yet. */
  async read(): Promise<T> {
    const outcome = await this.#attempt()
    if ('value' in outcome) {
      this.#value = outcome
      this.#reported = undefined
      return outcome.value
    }
    if (!this.#value) throw new InvalidInput(this.#complaint(outcome.problem))
    this.#report(outcome.problem)
    return this.#value.value
  }

  async #attempt(): Promise<Checked<T>> {
    const texts: string[] = []
    for (const source of this.#options.sources) {
      try {
        texts.push('text' in source ? source.text : await this.#options.files.read(source.file))
      } catch (error) {
        return { problem: messageOf(error) }
      }
    }
    // Checking certificates costs more than comparing texts, which are nearly always the same.
    if (this.#value && texts.every((text, i) => text === this.#texts?.[i])) return this.#value
    const outcome = this.#options.check(texts)
    if ('value' in outcome) this.#texts = texts
    return outcome
  }

  #report(problem: string): void {
    if (this.#reported === problem) return
    this.#reported = problem
    this.#options.logger.error(
      'credential file is unusable, the last good one stays in use',
      new InvalidInput(this.#complaint(problem)),
    )
  }

  #complaint(problem: string): string {
    const places = this.#options.sources.map((source) =>
      'file' in source ? source.file : 'inline',
    )
    return `${this.#options.what} (${[...new Set(places)].join(', ')}) cannot be used: ${problem}`
  }
}
