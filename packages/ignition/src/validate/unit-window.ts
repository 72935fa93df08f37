/**
 * Reads a unit's bytes through a window, like the library that Ignition uses. The window matters: a line that is too long
 * is noticed only while the window holds enough of it.
 */
export class UnitWindow {
  readonly #bytes: Buffer
  #at = 0
  /** Up to here the window has been filled. */
  #filled = 0
  /** The next end of a line; looked for again once it is passed. */
  #lineEnd = -1

  constructor(contents: string) {
    this.#bytes = Buffer.from(contents, 'utf8')
  }

  /** Whether the window shows a line that systemd would cut off. */
  showsLongLine(): boolean {
    if (this.#filled - this.#at < longestLine) return false
    if (this.#lineEnd < this.#at) this.#lineEnd = this.#findLineEnd()
    return this.#lineEnd - this.#at >= longestLine
  }

  /** The next character, or nothing at the end. */
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

  /** Goes back to before this character, which has just been read. */
  putBack(char: string): void {
    this.#at -= Buffer.byteLength(char, 'utf8')
  }

  /** What comes up to and including this ASCII character, or up to the end if it does not come. */
  through(char: string): string {
    const start = this.#at
    const found = this.#bytes.indexOf(char.charCodeAt(0), start)
    const end = found < 0 ? this.#bytes.length : found + 1
    while (end > this.#filled) {
      // A window that is full without holding the character starts anew behind it.
      if (this.#filled - this.#at >= windowSize) this.#at = this.#filled
      this.#fill()
    }
    this.#at = end
    return this.#bytes.toString('utf8', start, end)
  }

  /** The rest of the line without its end. */
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

const longestLine = 2048
const windowSize = 4096
const [newline, carriageReturn] = [0x0a, 0x0d] as const

/** By its first byte; the text comes from a string, so it is always whole UTF-8. */
const sequenceLength = (lead: number): number =>
  lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4
