import { InvalidInput } from './errors.ts'
import type { LabelSelector, Requirement } from './selectors.ts'
import { isLabelKey, isLabelValue, isWhole, quoted } from './selectors.ts'

/** What is wrong with the names in a selector; undefined: nothing. Who asks may have their own words for it. */
export interface LabelNames {
  key(key: string): string | undefined
  values(key: string, values: readonly string[]): string | undefined
}

/**
 * Reads `a=b,c!=d,e in (x,y),f notin (z),g,!h,i>1,j<9`. An empty text matches everything. What cannot be read is
 * InvalidInput in the words that people know from kubectl.
 */
export function parseLabelSelector(text: string, names: LabelNames = plainNames): LabelSelector {
  return new Parser(text, names).selector()
}

const plainNames: LabelNames = {
  key: (key) => (isLabelKey(key) ? undefined : `${quoted(key)} is not a label key`),
  values(key, values) {
    const wrong = values.find((value) => !isLabelValue(value) && !isWhole(value))
    if (wrong === undefined) return undefined
    return `${key}: ${quoted(wrong)} is not a label value (letters, digits, - _ . ; at most 63)`
  },
}

/** Every symbol, and every run of other characters between blanks; the blanks themselves are nothing. */
const tokenForm = /[!=]=|[=!(),<>]|[^=!(),<> \t\r\n]+/g
const symbols = new Set(['!', '!=', '=', '==', '(', ')', ',', '<', '>'])
const end = ''

const isIdentifier = (token: string): boolean => token !== end && !symbols.has(token)

class Parser {
  readonly #tokens: readonly string[]
  readonly #names: LabelNames
  #at = 0

  constructor(text: string, names: LabelNames) {
    this.#tokens = text.match(tokenForm) ?? []
    this.#names = names
  }

  selector(): LabelSelector {
    const requirements: Requirement[] = []
    if (this.#next === end) return requirements
    if (!this.#beginsRequirement()) {
      throw new InvalidInput(`found '${this.#next}', expected: !, identifier, or 'end of string'`)
    }
    for (;;) {
      requirements.push(this.#requirement())
      const after = this.#take()
      if (after === end) return requirements
      if (after !== ',')
        throw new InvalidInput(`found '${after}', expected: ',' or 'end of string'`)
      if (!this.#beginsRequirement()) {
        throw new InvalidInput(`found '${this.#next}', expected: identifier after ','`)
      }
    }
  }

  #requirement(): Requirement {
    const absent = this.#next === '!'
    if (absent) this.#take()
    const key = this.#identifier()
    refuseFor(this.#names.key(key))
    if (absent) return { key, operator: 'absent' }
    if (this.#next === end || this.#next === ',') return { key, operator: 'exists' }
    const operator = this.#take()
    switch (operator) {
      case 'in':
      case 'notin':
        return this.#set(key, operator, this.#list())
      case '=':
      case '==':
        return this.#set(key, 'in', [this.#value()])
      case '!=':
        return this.#set(key, 'notin', [this.#value()])
      case '>':
      case '<':
        return this.#comparison(key, operator === '>' ? 'above' : 'below')
      default:
        throw unreadable(`found '${operator}', expected: in, notin, =, ==, !=, gt, lt`)
    }
  }

  /** Values as a set: sorted, without repetitions, so that equal selectors look equal. */
  #set(key: string, operator: 'in' | 'notin', list: readonly string[]): Requirement {
    const values = [...new Set(list)].sort()
    refuseFor(this.#names.values(key, values))
    return { key, operator, values }
  }

  #comparison(key: string, operator: 'above' | 'below'): Requirement {
    const value = this.#value()
    const why = "for 'Gt', 'Lt' operators, the value must be an integer"
    const problems = [
      isWhole(value) ? undefined : `values[0]: Invalid value: ${JSON.stringify(value)}: ${why}`,
      this.#names.values(key, [value]),
    ].filter((problem) => problem !== undefined)
    refuseFor(problems.length > 1 ? `[${problems.join(', ')}]` : problems[0])
    return { key, operator, limit: Number(value) }
  }

  /** `(a,b)`; where there is nothing between commas or parentheses, that is the empty value. */
  #list(): string[] {
    const open = this.#take()
    if (open !== '(') throw unreadable(`found '${open}' expected: '('`)
    const values: string[] = []
    if (!isIdentifier(this.#next) && this.#next !== ',' && this.#next !== ')') {
      throw unreadable(`found '${this.#next}', expected: ',', ')' or identifier`)
    }
    for (;;) {
      values.push(isIdentifier(this.#next) ? this.#take() : '')
      const after = this.#take()
      if (after === ')') return values
      if (after === ',') continue
      const wanted = values.at(-1) === '' ? "',', or identifier" : "',' or ')'"
      throw unreadable(`found '${after}', expected: ${wanted}`)
    }
  }

  #value(): string {
    return this.#next === end || this.#next === ',' ? '' : this.#identifier()
  }

  #identifier(): string {
    const token = this.#take()
    if (!isIdentifier(token)) throw unreadable(`found '${token}', expected: identifier`)
    return token
  }

  #beginsRequirement(): boolean {
    return this.#next === '!' || isIdentifier(this.#next)
  }

  get #next(): string {
    return this.#tokens[this.#at] ?? end
  }

  #take(): string {
    const token = this.#next
    this.#at++
    return token
  }
}

function refuseFor(problem: string | undefined): void {
  if (problem !== undefined) throw unreadable(problem)
}

const unreadable = (why: string): InvalidInput =>
  new InvalidInput(`unable to parse requirement: ${why}`)
