import { InvalidInput } from '../errors.ts'
import type { LabelSelector, Requirement } from './selectors.ts'
import { isLabelKey, isLabelValue, isInteger, quotedShort } from './selectors.ts'

/** Validation of keys and values in a selector: returns the problem, or undefined. Callers can supply their own messages. */
export interface LabelNames {
  key(key: string): string | undefined
  values(key: string, values: readonly string[]): string | undefined
}

/**
 * Parses `a=b,c!=d,e in (x,y),f notin (z),g,!h,i>1,j<9`. An empty text matches everything. Throws InvalidInput with the message
 * of the API server.
 */
export function parseLabelSelector(text: string, names: LabelNames = plainNames): LabelSelector {
  return new Parser(text, names).selector()
}

const plainNames: LabelNames = {
  key: (key) => (isLabelKey(key) ? undefined : `${quotedShort(key)} is not a label key`),
  values(key, values) {
    const wrong = values.find((value) => !isLabelValue(value) && !isInteger(value))
    if (wrong === undefined) return undefined
    return `${key}: ${quotedShort(wrong)} is not a label value (letters, digits, - _ . ; at most 63)`
  },
}

/** Symbols, and runs of other characters; white space separates tokens. */
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
    throwIfInvalid(this.#names.key(key))
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
        throw invalidRequirement(`found '${operator}', expected: in, notin, =, ==, !=, gt, lt`)
    }
  }

  /** Values are sorted and unique, so that equal selectors have equal form. */
  #set(key: string, operator: 'in' | 'notin', list: readonly string[]): Requirement {
    const values = [...new Set(list)].sort()
    throwIfInvalid(this.#names.values(key, values))
    return { key, operator, values }
  }

  #comparison(key: string, operator: 'above' | 'below'): Requirement {
    const value = this.#value()
    const why = "for 'Gt', 'Lt' operators, the value must be an integer"
    const problems = [
      isInteger(value) ? undefined : `values[0]: Invalid value: ${JSON.stringify(value)}: ${why}`,
      this.#names.values(key, [value]),
    ].filter((problem) => problem !== undefined)
    throwIfInvalid(problems.length > 1 ? `[${problems.join(', ')}]` : problems[0])
    return { key, operator, limit: Number(value) }
  }

  /** `(a,b)`; nothing between commas or parentheses is the empty value. */
  #list(): string[] {
    const open = this.#take()
    if (open !== '(') throw invalidRequirement(`found '${open}' expected: '('`)
    const values: string[] = []
    if (!isIdentifier(this.#next) && this.#next !== ',' && this.#next !== ')') {
      throw invalidRequirement(`found '${this.#next}', expected: ',', ')' or identifier`)
    }
    for (;;) {
      values.push(isIdentifier(this.#next) ? this.#take() : '')
      const after = this.#take()
      if (after === ')') return values
      if (after === ',') continue
      const expected = values.at(-1) === '' ? "',', or identifier" : "',' or ')'"
      throw invalidRequirement(`found '${after}', expected: ${expected}`)
    }
  }

  #value(): string {
    return this.#next === end || this.#next === ',' ? '' : this.#identifier()
  }

  #identifier(): string {
    const token = this.#take()
    if (!isIdentifier(token)) throw invalidRequirement(`found '${token}', expected: identifier`)
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

function throwIfInvalid(problem: string | undefined): void {
  if (problem !== undefined) throw invalidRequirement(problem)
}

const invalidRequirement = (why: string): InvalidInput =>
  new InvalidInput(`unable to parse requirement: ${why}`)
