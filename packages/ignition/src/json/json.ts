/**
 * JSON with the details that JSON.parse drops and Ignition's validation depends on: duplicate keys, the notation of numbers and
 * positions. Accepts the same texts as Go's encoding/json. Not recursive, so that deep nesting does not exhaust the stack.
 */
export type JsonNode = JsonLeaf | JsonArray | JsonObject

export interface JsonLeaf {
  readonly kind: 'null' | 'bool' | 'number' | 'string'
  /** Offset in the text. */
  readonly offset: number
  /** The content of a string; the source text of anything else. */
  readonly text: string
}

export interface JsonArray {
  readonly kind: 'array'
  readonly offset: number
  readonly items: JsonNode[]
}

export interface JsonObject {
  readonly kind: 'object'
  readonly offset: number
  readonly members: JsonMember[]
}

export interface JsonMember {
  readonly key: string
  readonly offset: number
  readonly value: JsonNode
}

export class JsonSyntaxError extends Error {
  readonly offset: number
  constructor(message: string, offset: number) {
    super(message)
    this.name = 'JsonSyntaxError'
    this.offset = offset
  }
}

export function readJson(text: string): JsonNode {
  return new Reader(text).read()
}

/** Whether a text is JSON in which all numbers are finite. */
export function isJson(text: string): boolean {
  try {
    const nodes = [readJson(text)]
    for (let node = nodes.pop(); node; node = nodes.pop()) {
      if (node.kind === 'array') for (const item of node.items) nodes.push(item)
      else if (node.kind === 'object') for (const { value } of node.members) nodes.push(value)
      else if (node.kind === 'number' && !Number.isFinite(Number(node.text))) return false
    }
    return true
  } catch (error) {
    if (error instanceof JsonSyntaxError) return false
    throw error
  }
}

const maxDepth = 10_000
/** Everything but control characters, the quote and the backslash. */
const plainText = /[ !#-[\]-\uffff]*/y
const numberPattern = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
const hexPattern = /[0-9A-Fa-f]{4}/y
const space = /[ \t\r\n]*/y
const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

type Container = JsonArray | JsonObject

class Reader {
  readonly #text: string
  #at = 0
  readonly #open: Container[] = []

  constructor(text: string) {
    this.#text = text
  }

  read(): JsonNode {
    this.#skipSpace()
    const root = this.#value()
    while (this.#open.length > 0) this.#step(this.#open.at(-1)!)
    this.#skipSpace()
    if (this.#at < this.#text.length) this.#fail('unexpected text after the end of the value')
    return root
  }

  /** Parses the next member or item of the innermost open container, or its end. */
  #step(container: Container): void {
    this.#skipSpace()
    const closing = container.kind === 'array' ? ']' : '}'
    const empty = (container.kind === 'array' ? container.items : container.members).length === 0
    if (this.#text[this.#at] === closing) {
      this.#at += 1
      this.#open.pop()
      return
    }
    if (!empty) {
      if (this.#text[this.#at] !== ',') this.#fail(`expected "," or "${closing}"`)
      this.#at += 1
      this.#skipSpace()
    }
    if (container.kind === 'array') container.items.push(this.#value())
    else container.members.push(this.#member())
  }

  #member(): JsonMember {
    const offset = this.#at
    if (this.#text[offset] !== '"') this.#fail('expected a key in double quotes')
    const key = this.#string()
    this.#skipSpace()
    if (this.#text[this.#at] !== ':') this.#fail('expected ":" after the key')
    this.#at += 1
    this.#skipSpace()
    return { key, offset, value: this.#value() }
  }

  /** A leaf, or an open container. */
  #value(): JsonNode {
    const offset = this.#at
    switch (this.#text[offset] ?? '') {
      case '"':
        return { kind: 'string', offset, text: this.#string() }
      case '[':
        return this.#opened({ kind: 'array', offset, items: [] })
      case '{':
        return this.#opened({ kind: 'object', offset, members: [] })
      case 'n':
        return { kind: 'null', offset, text: this.#word('null') }
      case 't':
        return { kind: 'bool', offset, text: this.#word('true') }
      case 'f':
        return { kind: 'bool', offset, text: this.#word('false') }
      default:
        return { kind: 'number', offset, text: this.#number() }
    }
  }

  #opened<C extends Container>(container: C): C {
    if (this.#open.length >= maxDepth) this.#fail(`nested more than ${maxDepth} levels deep`)
    this.#at += 1
    this.#open.push(container)
    return container
  }

  #word(word: string): string {
    if (!this.#text.startsWith(word, this.#at)) this.#fail(`expected "${word}"`)
    this.#at += word.length
    return word
  }

  #number(): string {
    const number = this.#match(numberPattern)
    if (number === undefined) {
      this.#fail(this.#at < this.#text.length ? 'expected a value' : 'unexpected end of the text')
    }
    return number
  }

  #string(): string {
    this.#at += 1
    let content = this.#match(plainText)!
    while (this.#text[this.#at] === '\\') {
      this.#at += 1
      content += this.#escape() + this.#match(plainText)!
    }
    if (this.#at >= this.#text.length) this.#fail('unterminated string')
    if (this.#text[this.#at] !== '"') this.#fail('control character in a string')
    this.#at += 1
    return content.toWellFormed()
  }

  #escape(): string {
    const letter = this.#text[this.#at] ?? ''
    if (letter !== 'u') {
      if (!Object.hasOwn(escapes, letter)) this.#fail('invalid escape in a string')
      this.#at += 1
      return escapes[letter]!
    }
    this.#at += 1
    const digits = this.#match(hexPattern)
    if (digits === undefined) this.#fail('expected four hexadecimal digits after "\\u"')
    return String.fromCharCode(Number.parseInt(digits, 16))
  }

  #skipSpace(): void {
    // Most tokens have no space before them; skip the regular expression for those.
    if (this.#text.charCodeAt(this.#at) <= 0x20) this.#match(space)
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0]
    if (found !== undefined) this.#at += found.length
    return found
  }

  #fail(message: string): never {
    throw new JsonSyntaxError(message, this.#at)
  }
}
