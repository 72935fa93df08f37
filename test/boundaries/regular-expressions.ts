/**
 * Finds regular expressions that take quadratic time or worse on some text. Three shapes, each by a simple rule:
 *
 * - nested: a repeated group whose body can be one repetition alone: `(a+)*`;
 * - adjacent: two repetitions of overlapping characters with nothing mandatory between them: `\d+\.?\d*`;
 * - unanchored: a repetition that can begin at any of its own characters and can fail behind them: `\/+$`, `\s*\n`,
 *   `:[^/]*$`. Such a pattern needs `^`, the flag `y`, or a loop instead.
 *
 * Repetitions with an upper bound do not count. What these rules do not see, test/integration/growth measures.
 */
export function slowShape(pattern: string, flags: string): string | undefined {
  const alternatives = new PatternParser(pattern, flags).parse()
  const isSticky = flags.includes('y')
  for (const sequence of expanded(alternatives)) {
    const found =
      nested(sequence) ?? adjacent(sequence, true) ?? (isSticky ? undefined : unanchored(sequence))
    if (found !== undefined) return found
  }
  return undefined
}

type Node = Characters | Group | Assertion
interface Repeated {
  readonly min: number
  readonly max: number
}
/** One character out of a set, repeated. */
interface Characters extends Repeated {
  readonly type: 'characters'
  readonly source: string
  readonly set: ReadonlySet<string>
}
interface Group extends Repeated {
  readonly type: 'group'
  readonly alternatives: readonly Sequence[]
}
interface Assertion {
  readonly type: 'assertion'
  readonly source: string
}
type Sequence = readonly Node[]

/** Enough characters to distinguish the sets that occur. */
const samples = [
  ...Array.from({ length: 256 }, (_, i) => String.fromCharCode(i)),
  'μ',
  'Я',
  '\u2028',
]
const lookaround = /^\(\?(?:=|!|<=|<!)/
const opening = /^\((?:\?:|\?<[A-Za-z]\w{0,99}>)?/
const quantifier = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/
const boundary = /^(?:\^|\$|\\[bB])/
const atom =
  /^(?:\\(?:u\{[\dA-Fa-f]+\}|u[\dA-Fa-f]{4}|x[\dA-Fa-f]{2}|c[A-Za-z]|[pP]\{[^}]*\}|k<\w+>|[^])|[^])/u

class PatternParser {
  readonly #flags: string
  #rest: string

  constructor(pattern: string, flags: string) {
    this.#rest = pattern
    this.#flags = flags.replaceAll(/[gyd]/g, '')
  }

  parse(): Sequence[] {
    const alternatives: Node[][] = [[]]
    while (this.#rest !== '' && !this.#rest.startsWith(')')) {
      if (this.#rest.startsWith('|')) {
        this.#take('|')
        alternatives.push([])
      } else alternatives.at(-1)!.push(this.#node())
    }
    return alternatives
  }

  #node(): Node {
    const around = lookaround.exec(this.#rest)?.[0]
    if (around !== undefined) {
      this.#take(around)
      this.parse()
      this.#take(')')
      return { type: 'assertion', source: around }
    }
    const bound = boundary.exec(this.#rest)?.[0]
    if (bound !== undefined) {
      this.#take(bound)
      return { type: 'assertion', source: bound }
    }
    if (this.#rest.startsWith('(')) {
      this.#take(opening.exec(this.#rest)![0])
      const alternatives = this.parse()
      this.#take(')')
      return { type: 'group', alternatives, ...this.#repetition() }
    }
    const source = this.#rest.startsWith('[') ? this.#class() : atom.exec(this.#rest)![0]
    this.#take(source)
    return { type: 'characters', source, set: this.#setOf(source), ...this.#repetition() }
  }

  /** Up to the bracket that closes the class; brackets inside are escaped, or nested under the flag v. */
  #class(): string {
    let depth = 0
    for (let i = 0; i < this.#rest.length; i++) {
      if (this.#rest[i] === '\\') i++
      else if (this.#rest[i] === '[') depth += depth === 0 || this.#flags.includes('v') ? 1 : 0
      else if (this.#rest[i] === ']' && --depth === 0) return this.#rest.slice(0, i + 1)
    }
    throw new Error(`the class is not closed: ${this.#rest}`)
  }

  /** A backreference can be anything. */
  #setOf(source: string): ReadonlySet<string> {
    if (/^\\(?:[1-9]|k<)/.test(source)) return new Set(samples)
    const one = new RegExp(`^${source}$`, this.#flags.replace('m', ''))
    return new Set(samples.filter((sample) => one.test(sample)))
  }

  #repetition(): Repeated {
    const [all, least, comma, most] = quantifier.exec(this.#rest) ?? []
    if (all === undefined) return { min: 1, max: 1 }
    this.#take(all)
    if (all.startsWith('*')) return { min: 0, max: Infinity }
    if (all.startsWith('+')) return { min: 1, max: Infinity }
    if (all.startsWith('?')) return { min: 0, max: 1 }
    return { min: Number(least), max: comma === '' ? Number(least) : Number(most || Infinity) }
  }

  #take(text: string): void {
    if (!this.#rest.startsWith(text)) throw new Error(`${text} is expected at ${this.#rest}`)
    this.#rest = this.#rest.slice(text.length)
  }
}

const mostExpansions = 500

/** Every path through the alternatives, with groups that are not repeated expanded. */
function expanded(alternatives: readonly Sequence[]): Sequence[] {
  return alternatives.flatMap((sequence) => {
    let ways: Node[][] = [[]]
    for (const node of sequence) {
      const isOpened = node.type === 'group' && node.min === 1 && node.max === 1
      const steps = isOpened ? expanded(node.alternatives) : [[node]]
      ways = ways.flatMap((way) => steps.map((step) => way.concat(step))).slice(0, mostExpansions)
    }
    return ways
  })
}

const isEndless = (node: Node): boolean => node.type !== 'assertion' && node.max === Infinity

function isNullable(node: Node): boolean {
  if (node.type === 'assertion' || node.min === 0) return true
  return node.type === 'group' && node.alternatives.some((one) => one.every(isNullable))
}

function nested(sequence: Sequence): string | undefined {
  for (const node of sequence) {
    if (node.type !== 'group') continue
    for (const body of expanded(node.alternatives)) {
      const inner = nested(body) ?? adjacent(body, false)
      if (inner !== undefined) return inner
      const needed = body.filter((one) => !isNullable(one))
      const isAlone = needed.length === 0 ? body.some(isEndless) : needed.every(isEndless)
      if (isEndless(node) && isAlone && needed.length < 2) return 'nested repetitions'
    }
  }
  return undefined
}

/** At the end of the pattern the second quantifier cannot fail, so the engine does not backtrack. */
function adjacent(sequence: Sequence, isWhole: boolean): string | undefined {
  for (const [i, first] of sequence.entries()) {
    if (first.type !== 'characters' || !isEndless(first)) continue
    for (const [j, second] of sequence.entries()) {
      if (j <= i || second.type !== 'characters' || !isEndless(second)) continue
      const isTogether = sequence.slice(i + 1, j).every(isNullable)
      const isLast = isWhole && j === sequence.length - 1
      if (isTogether && !isLast && !first.set.isDisjointFrom(second.set)) {
        return `${first.source} and ${second.source} repeat the same characters side by side`
      }
    }
  }
  return undefined
}

/** A required end anchor can fail to match; so can every node that is not optional. */
const canFail = (node: Node): boolean =>
  node.type === 'assertion' ? node.source === '$' : !isNullable(node)

function unanchored(sequence: Sequence): string | undefined {
  const before: Characters[] = []
  for (const [i, node] of sequence.entries()) {
    if (node.type === 'assertion') {
      if (node.source === '^' || node.source === '\\b' || node.source === '(?<!') return undefined
    } else if (node.type === 'group') {
      if (!isNullable(node)) return undefined
    } else if (isEndless(node)) {
      const isInside = before.every(({ set }) => !set.isDisjointFrom(node.set))
      const rest = sequence.slice(i + 1)
      if (isInside && rest.some(canFail)) return `${node.source} is repeated from anywhere`
      if (node.min > 0) return undefined
    } else if (node.min > 0) before.push(node)
  }
  return undefined
}
