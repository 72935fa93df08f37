import { isUtf8 } from 'node:buffer'

/** A line exceeds the length limit. */
export class LineTooLong extends Error {
  constructor(limit: number) {
    super(`a line is longer than ${limit} bytes`)
    this.name = 'LineTooLong'
  }
}

/** A line is not valid UTF-8. Lenient decoding would replace bytes with characters that are not in the object. */
export class LineNotUtf8 extends Error {
  constructor() {
    super('a line is not UTF-8')
    this.name = 'LineNotUtf8'
  }
}

const newline = 0x0a

/**
 * Splits bytes into lines. Chunks of an incomplete line are kept and joined once, so that the cost is linear in the length
 * of the line. Joining bytes instead of strings never splits a character.
 */
export class LineSplitter {
  readonly #limit: number
  #pieces: Uint8Array[] = []
  #size = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Number of buffered bytes of an incomplete line. */
  get pending(): number {
    return this.#size
  }

  /** The lines that this chunk completes, without the newline. Empty lines are skipped. */
  *push(chunk: Uint8Array): Iterable<string> {
    let from = 0
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
      this.#keep(chunk.subarray(from, at))
      from = at + 1
      const line = this.#take()
      if (line !== '') yield line
    }
    this.#keep(chunk.subarray(from))
  }

  #keep(piece: Uint8Array): void {
    if (piece.length === 0) return
    this.#size += piece.length
    if (this.#size > this.#limit) throw new LineTooLong(this.#limit)
    this.#pieces.push(piece)
  }

  #take(): string {
    const line = Buffer.concat(this.#pieces, this.#size)
    this.#pieces = []
    this.#size = 0
    if (!isUtf8(line)) throw new LineNotUtf8()
    return line.toString('utf8').trim()
  }
}
