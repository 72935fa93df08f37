/**
 * Reads a unit through a window, as the library of Ignition does. The window affects the result: the library detects a long line only
 * if the window contains enough of it.
 */
export class UnitWindow {
  readonly #bytes: Buffer
  #at = 0
  /** End of the window. */
  #filled = 0
  /** The next line end; searched again after it was passed. */
  #lineEnd = -1

  constructor(contents: string) {
    this.#bytes = Buffer.from(contents, 'utf8')
  }

  /** Whether the window contains a line that systemd would truncate. */
  hasLongLine(): boolean {
    if (this.#filled - this.#at < maxLineLength) return false
    if (this.#lineEnd < this.#at) this.#lineEnd = this.#findLineEnd()
    return this.#lineEnd - this.#at >= maxLineLength
  }

  /** The next character; undefined at the end. */
  next(): string | undefined {
    if (this.#at >= this.#bytes.length) return undefined
    const lead = this.#bytes[this.#at]!
    const end = this.#at + sequenceLength(lead)
    if (end > this.#filled) this.#fill()
    const char =
      lead < 0x80 ? String.fromCharCode(lead) : this.#bytes.toString('utf8', this.#at, end)
    this.#at = end
    return char
  }

  /** Moves back before the last character that was read. */
  putBack(char: string): void {
    this.#at -= Buffer.byteLength(char, 'utf8')
  }

  /** The text up to and including this ASCII character, or up to the end. */
  through(char: string): string {
    const start = this.#at
    const found = this.#bytes.indexOf(char.charCodeAt(0), start)
    const end = found < 0 ? this.#bytes.length : found + 1
    while (end > this.#filled) {
      // A full window without the character is replaced by the next one.
      if (this.#filled - this.#at >= windowSize) this.#at = this.#filled
      this.#fill()
    }
    this.#at = end
    return this.#bytes.toString('utf8', start, end)
  }

  /** The rest of the line, without the line end. */
  line(): string {
    const line = this.through('\n')
    return line.endsWith('\n') || line.endsWith('\r') ? line.slice(0, -1) : line
  }

  #fill(): void {
    this.#filled = Math.min(this.#bytes.length, this.#at + windowSize)
  }

  #findLineEnd(): number {
    for (let at = this.#at; at < this.#bytes.length; at++) {
      if (this.#bytes[at] === newline || this.#bytes[at] === carriageReturn) return at
    }
    return Infinity
  }
}

const maxLineLength = 2048
const windowSize = 4096
const [newline, carriageReturn] = [0x0a, 0x0d] as const

/** From the first byte. The text comes from a string, so it is valid UTF-8. */
const sequenceLength = (lead: number): number =>
  lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4
