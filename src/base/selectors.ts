import { InvalidInput } from './errors.ts'

/**
 * A label selector: every requirement must hold. The same form whether it was written as text (`a=b,c notin (x,y)`) or
 * as an object in a spec.
 */
export type LabelSelector = readonly Requirement[]

export type Requirement =
  /** `notin` holds as well where there is no such label, as Kubernetes defines it. */
  | { readonly key: string; readonly operator: 'in' | 'notin'; readonly values: readonly string[] }
  | { readonly key: string; readonly operator: 'exists' | 'absent' }
  | { readonly key: string; readonly operator: 'above' | 'below'; readonly limit: number }

/** As an object holds it. */
export interface LabelSelectorSpec {
  matchLabels?: Record<string, string>
  matchExpressions?: { key: string; operator: string; values?: string[] }[]
}

export type Labels = Readonly<Record<string, string>>

export const everything: LabelSelector = []
/** Has no text: Kubernetes cannot be asked for nothing, so ask nobody. */
export const nothing: LabelSelector = [{ key: 'none', operator: 'in', values: [] }]

export function matchesLabels(selector: LabelSelector, labels: Labels = {}): boolean {
  return selector.every((requirement) => holds(requirement, labels))
}

/**
 * The selector of a spec. `{}` matches everything. Whether a selector that is not there at all means everything or
 * nothing differs between fields of Kubernetes, so that is for the caller to say.
 */
export function selectorFromSpec(
  spec: LabelSelectorSpec | null | undefined,
  whenAbsent: LabelSelector,
): LabelSelector {
  if (spec === null || spec === undefined) return whenAbsent
  const equal = Object.entries(spec.matchLabels ?? {}).map(([key, value]) => oneOf(key, [value]))
  return [...equal, ...(spec.matchExpressions ?? []).map(fromExpression)]
}

/** Reads `a=b,c!=d,e in (x,y),f notin (z),g,!h,i>1,j<9`. An empty text matches everything. */
export function parseLabelSelector(text: string): LabelSelector {
  const rest = text.trim()
  if (rest === '') return everything
  return splitTerms(rest).map((term) => parsedTerm(term.trim()))
}

/** As `kubectl -l` and a list's `labelSelector` take it. */
export function formatLabelSelector(selector: LabelSelector): string {
  return selector.map(formatted).join(',')
}

/** Cut at the commas that are not inside a list of values. */
function splitTerms(text: string): string[] {
  const terms: string[] = []
  let from = 0
  let inside = false
  for (let i = 0; i < text.length; i++) {
    const char = text[i]
    if (char === '(') inside = true
    else if (char === ')') inside = false
    else if (char === ',' && !inside) {
      terms.push(text.slice(from, i))
      from = i + 1
    }
  }
  return [...terms, text.slice(from)]
}

// No two of these can both eat the same blanks, so no text makes them slow.
const listTerm = /^([^\s!=<>()]+)\s+(in|notin)\s*\(([^()]*)\)$/
const comparedTerm = /^([^\s!=<>()]+)\s*(==|=|!=|>|<)\s*([^\s!=<>()]*)$/
const presentTerm = /^(!?)\s*([^\s!=<>()]+)$/

function parsedTerm(term: string): Requirement {
  const list = listTerm.exec(term)
  if (list) {
    const values = list[3]!.split(',').map((value) => value.trim())
    return { ...oneOf(list[1]!, values), operator: list[2] as 'in' | 'notin' }
  }
  const compared = comparedTerm.exec(term)
  if (compared) return comparison(compared[1]!, compared[2]!, compared[3]!)
  const present = presentTerm.exec(term)
  if (present) return { key: checkedKey(present[2]!), operator: present[1] ? 'absent' : 'exists' }
  throw wrong(`cannot read ${quoted(term)}: write key, !key, key=value, key!=value or key in (a,b)`)
}

function comparison(key: string, operator: string, value: string): Requirement {
  if (operator === '=' || operator === '==') return oneOf(key, [value])
  if (operator === '!=') return { ...oneOf(key, [value]), operator: 'notin' }
  if (!isWhole(value)) throw wrong(`${key}: ${quoted(value)} is not a whole number`)
  return {
    key: checkedKey(key),
    operator: operator === '>' ? 'above' : 'below',
    limit: Number(value),
  }
}

function holds(requirement: Requirement, labels: Labels): boolean {
  const { key, operator } = requirement
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined
  switch (operator) {
    case 'in':
      return value !== undefined && requirement.values.includes(value)
    case 'notin':
      return value === undefined || !requirement.values.includes(value)
    case 'exists':
      return value !== undefined
    case 'absent':
      return value === undefined
    case 'above':
      return isWhole(value) && Number(value) > requirement.limit
    case 'below':
      return isWhole(value) && Number(value) < requirement.limit
  }
}

function fromExpression({ key, operator, values = [] }: Expression): Requirement {
  switch (operator) {
    case 'In':
      return oneOf(key, values)
    case 'NotIn':
      return { ...oneOf(key, values), operator: 'notin' }
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0) throw wrong(`${key}: ${operator} takes no values`)
      return { key: checkedKey(key), operator: operator === 'Exists' ? 'exists' : 'absent' }
    default:
      throw wrong(`${key}: ${operator} is not one of In, NotIn, Exists, DoesNotExist`)
  }
}

type Expression = NonNullable<LabelSelectorSpec['matchExpressions']>[number]

/** Values as a set: sorted, without repetitions, so that equal selectors look equal. */
function oneOf(
  key: string,
  values: readonly string[],
): { key: string; operator: 'in'; values: string[] } {
  if (values.length === 0) throw wrong(`${key}: In and NotIn need at least one value`)
  const set = [...new Set(values.map((value) => checkedValue(key, value)))].sort()
  return { key: checkedKey(key), operator: 'in', values: set }
}

function checkedKey(key: string): string {
  const parts = key.split('/')
  const name = parts.pop()!
  const [prefix, ...rest] = parts
  const good = rest.length === 0 && isName(name) && (prefix === undefined || isSubdomain(prefix))
  if (!good) throw wrong(`${quoted(key)} is not a label key`)
  return key
}

function checkedValue(key: string, value: string): string {
  if (value === '' || isName(value)) return value
  throw wrong(`${key}: ${quoted(value)} is not a label value (letters, digits, - _ . ; at most 63)`)
}

function formatted(requirement: Requirement): string {
  const { key, operator } = requirement
  switch (operator) {
    case 'exists':
      return key
    case 'absent':
      return `!${key}`
    case 'above':
      return `${key}>${requirement.limit}`
    case 'below':
      return `${key}<${requirement.limit}`
    case 'in':
    case 'notin':
      return formattedSet(key, operator, requirement.values)
  }
}

function formattedSet(key: string, operator: 'in' | 'notin', values: readonly string[]): string {
  if (values.length === 0) throw wrong('one that matches nothing cannot be written down')
  if (values.length === 1) return `${key}${operator === 'in' ? '=' : '!='}${values[0]}`
  return `${key} ${operator} (${values.join(',')})`
}

const isName = (text: string): boolean =>
  text.length <= 63 && /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/.test(text)
const isSubdomain = (text: string): boolean =>
  text.length <= 253 &&
  /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(text)

/** Labels are compared as numbers only where they are whole ones that a number can hold. */
const isWhole = (text: string | undefined): boolean =>
  text !== undefined && /^-?\d{1,15}$/.test(text)

/** A complaint shows what it is about, but never pages of it. */
const quoted = (text: string): string =>
  JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)

const wrong = (problem: string): InvalidInput => new InvalidInput(`label selector: ${problem}`)
