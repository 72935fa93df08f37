import { messageOf } from '@machinist/core/errors'
import type { FileReader } from '@machinist/core/files'

/** The last valid value of a file, and what is wrong with its current content. */
export interface FileReading<T> {
  readonly value?: T
  readonly problem?: string
}

/**
 * A file that is read repeatedly. The same text gives the same object. While the file is unreadable or invalid, its last valid
 * value stays in use.
 */
export class ParsedFile<T> {
  readonly #path: string
  readonly #parse: (text: string) => T
  #text: string | undefined
  #reading: FileReading<T> = {}

  constructor(path: string, parse: (text: string) => T) {
    this.#path = path
    this.#parse = parse
  }

  async read(files: FileReader): Promise<FileReading<T>> {
    let text: string
    try {
      text = await files.read(this.#path)
    } catch (error) {
      this.#text = undefined
      return (this.#reading = { ...this.#reading, problem: describeReadError(error) })
    }
    if (text === this.#text) return this.#reading
    this.#text = text
    try {
      this.#reading = { value: this.#parse(text) }
    } catch (error) {
      this.#reading = { ...this.#reading, problem: messageOf(error) }
    }
    return this.#reading
  }
}

export const describeReadError = (error: unknown): string =>
  isMissing(error) ? 'it does not exist' : `it cannot be read: ${codeOf(error) ?? messageOf(error)}`

const isMissing = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}
