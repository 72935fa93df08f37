/** A JSON syntax error with Go's message. */
export class JsonProblem extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'JsonProblem'
  }
}

const deepest = 1000
/** kube-apiserver reports at most this many duplicates. */
const maxDuplicates = 100
/** Maximum number of duplicate paths to compute, repeated ones included. */
const maxPaths = 1000
const longestPath = 1024

/** Parses JSON and finds duplicate keys. Throws JsonProblem with Go's message. */
export function readJson(text: string): { value: unknown; duplicates: string[] } {
  const duplicates = new Scan(text).run()
  try {
    const value = JSON.parse(text) as unknown
    return { value: halfCharacter.test(text) ? wellFormed(value) : value, duplicates }
  } catch (error) {
    throw new JsonProblem((error as Error).message)
  }
}

interface Level {
  readonly closes: '}' | ']'
  readonly keys: Set<string>
  /** The key or index of the next value. */
  at: string
  count: number
}

/** A lone surrogate, which Go replaces. */
const halfCharacter = /\\u[dD][89a-fA-F]/

function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (Array.isArray(value)) return value.map(wellFormed)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value)
  return Object.fromEntries(
    members.map(([key, member]) => [key.toWellFormed(), wellFormed(member)]),
  )
}

const literal = /[-+.\w]+/y
const blank = /[ \t\n\r]*/y
const quoted = /"(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy
/** The valid prefix of a string. */
const readable = /"(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/uy
const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/

/** One pass over the text with an explicit stack, so that deep input cannot overflow the call stack. */
class Scan {
  readonly #text: string
  readonly #levels: Level[] = []
  readonly #duplicates = new Set<string>()
  #paths = 0
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  run(): string[] {
    this.#value()
    while (this.#levels.length > 0) this.#next()
    this.#skipBlank()
    if (this.#at < this.#text.length) this.#fail('after top-level value')
    return [...this.#duplicates]
  }

  /** One step inside the innermost array or object. */
  #next(): void {
    const level = this.#levels.at(-1)!
    const isObject = level.closes === '}'
    const char = this.#peek()
    if (char === level.closes) {
      this.#at++
      this.#levels.pop()
      return
    }
    if (level.count > 0) {
      if (char !== ',') this.#fail(isObject ? 'after object key:value pair' : 'after array element')
      this.#at++
    }
    if (isObject) this.#key(level)
    else level.at = `[${level.count}]`
    level.count++
    this.#value()
  }

  #key(level: Level): void {
    if (this.#peek() !== '"') this.#fail('looking for beginning of object key string')
    const key = this.#string()
    level.at = `.${key}`
    if (level.keys.has(key)) this.#duplicate()
    level.keys.add(key)
    if (this.#peek() !== ':') this.#fail('after object key')
    this.#at++
  }

  #value(): void {
    const char = this.#peek()
    if (char === '{' || char === '[') {
      if (this.#levels.length === deepest) this.#fail('exceeded max depth')
      this.#at++
      this.#levels.push({
        closes: char === '{' ? '}' : ']',
        keys: new Set(),
        at: '',
        count: 0,
      })
    } else if (char === '"') {
      this.#string()
    } else {
      this.#word()
    }
  }

  #word(): void {
    literal.lastIndex = this.#at
    const word = literal.exec(this.#text)?.[0] ?? ''
    const known = word === 'true' || word === 'false' || word === 'null' || number.test(word)
    if (!known) this.#fail('looking for beginning of value')
    this.#at += word.length
  }

  #string(): string {
    quoted.lastIndex = this.#at
    const found = quoted.exec(this.#text)?.[0]
    if (found === undefined) {
      readable.lastIndex = this.#at
      this.#at += readable.exec(this.#text)?.[0].length ?? 0
      this.#fail('in string literal')
    }
    this.#at += found.length
    return JSON.parse(found) as string
  }

  #peek(): string {
    this.#skipBlank()
    const char = this.#text[this.#at]
    if (char === undefined) throw new JsonProblem('unexpected end of JSON input')
    return char
  }

  #skipBlank(): void {
    blank.lastIndex = this.#at
    this.#at += blank.exec(this.#text)?.[0].length ?? 0
  }

  #duplicate(): void {
    if (this.#duplicates.size === maxDuplicates || this.#paths === maxPaths) return
    this.#paths++
    this.#duplicates.add(this.#path())
  }

  /** Truncates the beginning: the end of a path is more useful. */
  #path(): string {
    let path = ''
    for (const { at } of this.#levels.toReversed()) {
      path = at.slice(-longestPath) + path
      if (path.length > longestPath) return `...${path.slice(-longestPath)}`
    }
    return path.replace(/^\./, '')
  }

  #fail(where: string): never {
    const char = this.#text[this.#at]
    if (char === undefined) throw new JsonProblem('unexpected end of JSON input')
    throw new JsonProblem(`invalid character ${goCharacter(char)} ${where}`)
  }
}

/** Go reads bytes and quotes the first byte of a character. */
function goCharacter(char: string): string {
  const byte = Buffer.from(char, 'utf8')[0]!
  if (char === "'") return `'\\''`
  if (char === '\\') return `'\\\\'`
  if (byte < 0x20 || byte === 0x7f) {
    return `'${goEscapes.get(char) ?? `\\x${byte.toString(16).padStart(2, '0')}`}'`
  }
  return `'${String.fromCharCode(byte)}'`
}

const goEscapes = new Map([
  ['\u0007', '\\a'],
  ['\b', '\\b'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\v', '\\v'],
  ['\f', '\\f'],
  ['\r', '\\r'],
])
