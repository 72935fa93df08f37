import { isUtf8 } from 'node:buffer'

/** A line longer than the reader is willing to hold. */
export class LineTooLong extends Error {
  constructor(limit: number) {
    super(`a line is longer than ${limit} bytes`)
    this.name = 'LineTooLong'
  }
}

/** A line whose bytes are no text. Decoding it leniently would invent characters that nobody stored. */
export class LineNotUtf8 extends Error {
  constructor() {
    super('a line is not UTF-8')
    this.name = 'LineNotUtf8'
  }
}

const newline = 0x0a

/**
 * Cuts bytes into lines. Pieces of an unfinished line are kept as they came and joined once, so a long line costs no
 * more than its length; and joining bytes, not texts, never splits a character.
 */
export class LineSplitter {
  readonly #limit: number
  #pieces: Uint8Array[] = []
  #size = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** How much of an unfinished line is waiting. */
  get pending(): number {
    return this.#size
  }

  /** The lines that this chunk completes, without their newline; empty ones are left out. */
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
