import { InvalidInput, messageOf } from '@machinist/core/errors'
import type { Logger } from '@machinist/core/log'
import type { FileReader } from '@machinist/core/files'
import type { Checked } from './material.ts'
import type { Source } from './target.ts'

export interface ReloadedValueOptions<T> {
  /** Name for messages: `the token`. */
  readonly name: string
  readonly sources: readonly Source[]
  readonly check: (texts: readonly string[]) => Checked<T>
  readonly files: FileReader
  readonly logger: Logger
}

/**
 * A value that is read from files repeatedly. If a file is incomplete, unreadable or invalid, the last valid value stays in
 * use and the problem is logged once.
 */
export class ReloadedValue<T> {
  readonly #options: ReloadedValueOptions<T>
  #texts: readonly string[] | undefined
  #value: { readonly value: T } | undefined
  #lastProblem: string | undefined

  constructor(options: ReloadedValueOptions<T>) {
    this.#options = options
  }

  /** Whether the value comes from a file, so that it can change. */
  get changeable(): boolean {
    return this.#options.sources.some((source) => 'file' in source)
  }

  /** The last valid value. Throws InvalidInput if there is none. */
  async read(): Promise<T> {
    const outcome = await this.#attempt()
    if ('value' in outcome) {
      this.#value = outcome
      this.#lastProblem = undefined
      return outcome.value
    }
    if (!this.#value) throw new InvalidInput(this.#describe(outcome.problem))
    this.#logOnce(outcome.problem)
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
    // Comparing texts is cheaper than checking certificates, and files rarely change.
    if (this.#value && texts.every((text, i) => text === this.#texts?.[i])) return this.#value
    const outcome = this.#options.check(texts)
    if ('value' in outcome) this.#texts = texts
    return outcome
  }

  #logOnce(problem: string): void {
    if (this.#lastProblem === problem) return
    this.#lastProblem = problem
    this.#options.logger.error(
      'credential file is not usable, the last valid value stays in use',
      new InvalidInput(this.#describe(problem)),
    )
  }

  #describe(problem: string): string {
    const places = this.#options.sources.map((source) =>
      'file' in source ? source.file : 'inline',
    )
    return `${this.#options.name} (${[...new Set(places)].join(', ')}) is not usable: ${problem}`
  }
}
