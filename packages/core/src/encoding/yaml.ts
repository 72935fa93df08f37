import type { Alias, DocumentOptions, ErrorCode, Node, ParseOptions } from 'yaml'
import type { SchemaOptions, Tags, YAMLMap } from 'yaml'
import { Composer, isAlias, isMap, isScalar, isSeq, LineCounter, Parser, stringify } from 'yaml'
import { InvalidInput } from '../errors.ts'

/**
 * YAML 1.1, as kubectl parses it: `mode: 0644` is octal, `<<` merges, but times remain strings (`12:30` is not a number, a date
 * is not an object). Time and memory are proportional to the length of the text: nesting and alias expansion are limited, and this
 * module detects duplicate keys itself, because the library compares each key with all previous keys. Errors contain the line and
 * never quote the text, which may contain a secret; for the same reason the library does not log.
 */
const reading: ParseOptions & DocumentOptions & SchemaOptions = {
  version: '1.1',
  schema: 'yaml-1.1',
  merge: true,
  uniqueKeys: false,
  resolveKnownTags: false,
  customTags: (tags) => tags.filter((tag) => !isTime(tag) && !isKeyed(tag)),
  logLevel: 'silent',
}

const maxDepth = 1000
/** Limits for alias expansion: a multiple of the length of the text, and a size that is always allowed. */
const expansion = { factor: 10, always: 4_000_000 }

/** All documents of a stream, without empty ones. */
export function parseYamlDocuments(text: string, origin: string, most = Infinity): unknown[] {
  const lines = new LineCounter()
  const documents: unknown[] = []
  try {
    const tokens = new BoundedParser(lines, most).parse(text)
    for (const { errors, contents } of composerUntilError().compose(tokens)) {
      const [error] = errors
      if (error) throw new YamlProblem(withoutQuotes(error.code, error.message), error.pos[0])
      const value = contents && new YamlConverter(text.length).convert(contents)
      if (value !== null && value !== undefined) documents.push(value)
    }
  } catch (error) {
    if (!(error instanceof YamlProblem)) throw error
    const { line, col } = lines.linePos(error.at)
    const place = error.at < 0 ? '' : ` at line ${line}, column ${col}`
    throw new InvalidInput(`${origin}: not valid YAML: ${error.message}${place}`)
  }
  return documents
}

/**
 * The single document of a file, in YAML or JSON. A token of one character can take half a kilobyte of memory, so callers limit
 * the number of tokens (`most`) for untrusted input.
 */
export function parseYaml(text: string, origin: string, most = Infinity): unknown {
  const documents = parseYamlDocuments(text, origin, most)
  if (documents.length > 1) {
    throw new InvalidInput(`${origin}: contains ${documents.length} YAML documents; expected one`)
  }
  return documents[0]
}

export function toYaml(value: unknown): string {
  return stringify(value, { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false })
}

class YamlProblem extends Error {
  /** The offset in the text; negative if unknown. */
  readonly at: number

  constructor(message: string, at: number) {
    super(message)
    this.at = at
  }
}

const tooDeep = (at: number): YamlProblem =>
  new YamlProblem(`Nested more than ${maxDepth} levels deep`, at)

class BoundedParser extends Parser {
  readonly #most: number
  #count = 0

  constructor(lines: LineCounter, most: number) {
    super(lines.addNewLine)
    this.#most = most
  }

  override *next(source: string): ReturnType<Parser['next']> {
    if (this.stack.length > maxDepth) throw tooDeep(this.offset)
    if (++this.#count > this.#most) {
      throw new YamlProblem(`More than ${this.#most} tokens`, this.offset)
    }
    for (const token of super.next(source)) {
      if (token.type === 'error') {
        throw new YamlProblem(withoutQuotes('UNEXPECTED_TOKEN', token.message), token.offset)
      }
      yield token
    }
  }
}

type ErrorPlace = number | readonly number[] | { readonly offset: number }
type OnError = (at: ErrorPlace, code: ErrorCode, message: string, isWarning?: boolean) => void

/** Stops at the first error: the library would keep an Error with a stack trace for each one. */
function composerUntilError(): Composer {
  let first: YamlProblem | undefined
  const onError: OnError = (at, code, message, isWarning) => {
    if (isWarning) return
    const offset = typeof at === 'number' ? at : 'offset' in at ? at.offset : (at[0] ?? -1)
    // The library catches errors inside a collection and reports them again.
    first ??= new YamlProblem(withoutQuotes(code, message), offset)
    throw first
  }
  return Object.assign(new Composer(reading), { onError })
}

/** A value that aliases can repeat. */
interface Anchored {
  readonly node: Node
  readonly value: unknown
  readonly size: number
  readonly height: number
}

/** Converts the nodes of a document to JSON values. */
class YamlConverter {
  readonly #largest: number
  readonly #anchored = new Map<string, Anchored>()
  /** Number of nodes and characters so far, with aliases expanded. */
  #size = 0
  /** The maximum depth so far. */
  #reached = 0

  constructor(length: number) {
    this.#largest = Math.max(length * expansion.factor, expansion.always)
  }

  convert(node: Node | null, depth = 0): unknown {
    if (!node) return null
    if (isAlias(node)) return this.#repeat(node, depth).value
    if (!node.anchor) return this.#plain(node, depth)
    const [size, reached] = [this.#size, this.#reached]
    this.#reached = depth
    const value = this.#plain(node, depth)
    const height = this.#reached - depth
    this.#anchored.set(node.anchor, { node, value, size: this.#size - size, height })
    this.#reached = Math.max(reached, this.#reached)
    return value
  }

  #plain(node: Node, depth: number): unknown {
    this.#reached = Math.max(this.#reached, depth)
    this.#size++
    if (isMap<Node, Node | null>(node)) return this.#map(node, depth)
    if (isSeq<Node>(node)) return node.items.map((item) => this.convert(item, depth + 1))
    if (!isScalar(node)) return null
    if (typeof node.value === 'string') this.#size += node.value.length
    return node.value instanceof Uint8Array ? Buffer.from(node.value).toString() : node.value
  }

  #map({ items }: YAMLMap<Node, Node | null>, depth: number): unknown {
    const object: Record<string, unknown> = {}
    const seen = new Set<unknown>()
    for (const { key, value } of items) {
      if (isScalar(key)) {
        if (seen.has(key.value)) throw new YamlProblem('Map keys must be unique', placeOf(key))
        seen.add(key.value)
      }
      if (isScalar(key) && typeof key.value === 'symbol') this.#merge(object, value, depth)
      else setMember(object, this.#key(key), this.convert(value, depth + 1))
    }
    return object
  }

  #key(node: Node): string {
    const key = this.convert(node)
    if (key === null) return ''
    if (typeof key === 'string') return key
    if (typeof key === 'number' || typeof key === 'boolean') return String(key)
    throw new YamlProblem('A map or a list cannot be a key; quote the key', placeOf(node))
  }

  /** Existing members take precedence over members of a merged map. */
  #merge(object: Record<string, unknown>, source: Node | null, depth: number): void {
    const target = isAlias(source) ? this.#repeat(source, depth).node : source
    const sources = isSeq<Node>(target) ? target.items : [target]
    for (const one of sources) {
      const found = isAlias(one) ? this.#repeat(one, depth) : undefined
      if (!isMap(found ? found.node : one)) {
        throw new YamlProblem('Merge sources must be maps or map aliases', placeOf(one ?? source))
      }
      const members = (found ? found.value : this.convert(one, depth)) as Record<string, unknown>
      for (const [key, value] of Object.entries(members)) {
        if (!Object.hasOwn(object, key)) setMember(object, key, value)
      }
    }
  }

  #repeat(alias: Alias, depth: number): Anchored {
    const found = this.#anchored.get(alias.source)
    if (!found) throw new YamlProblem('Alias without a preceding anchor', placeOf(alias))
    if (depth + found.height > maxDepth) throw tooDeep(placeOf(alias))
    this.#reached = Math.max(this.#reached, depth + found.height)
    this.#size += found.size
    if (this.#size > this.#largest) {
      throw new YamlProblem('Aliases make the document too large', placeOf(alias))
    }
    return found
  }
}

/** Defines the property explicitly for keys such as `__proto__`. */
function setMember(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key in object) {
    const member = { value, writable: true, enumerable: true, configurable: true }
    Object.defineProperty(object, key, member)
  } else object[key] = value
}

const placeOf = (node: Node | null): number => node?.range?.[0] ?? -1

const isTime = (tag: Tags[number]): boolean =>
  typeof tag !== 'string' && (tag.tag.endsWith(':timestamp') || tag.format === 'TIME')

/** `!!set`, `!!omap` and `!!pairs` have no equivalent in JSON and are parsed as plain maps and lists. */
const isKeyed = (tag: Tags[number]): boolean =>
  typeof tag !== 'string' && /:(?:set|omap|pairs)$/.test(tag.tag)

/** Replacements for library messages that quote the text. */
const unquoted: Partial<Record<ErrorCode, string>> = {
  TAG_RESOLVE_FAILED: 'A tag cannot be resolved',
  BAD_DQ_ESCAPE: 'Invalid escape sequence',
  BAD_DIRECTIVE: 'Invalid directive',
}

/** The library quotes unexpected tokens after a colon. */
const withoutQuotes = (code: ErrorCode, message: string): string =>
  unquoted[code] ?? (code === 'UNEXPECTED_TOKEN' ? message.split(': ', 1)[0]! : message)
