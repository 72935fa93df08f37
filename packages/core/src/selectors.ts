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

/** As `kubectl -l` and a list's `labelSelector` take it. */
export function formatLabelSelector(selector: LabelSelector): string {
  return selector.map(formatted).join(',')
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
  if (isLabelKey(key)) return key
  throw wrong(`${quoted(key)} is not a label key`)
}

export function isLabelKey(key: string): boolean {
  const parts = key.split('/')
  const name = parts.pop()!
  const [prefix, ...rest] = parts
  return rest.length === 0 && isName(name) && (prefix === undefined || isSubdomain(prefix))
}

function checkedValue(key: string, value: string): string {
  if (isLabelValue(value)) return value
  throw wrong(`${key}: ${quoted(value)} is not a label value (letters, digits, - _ . ; at most 63)`)
}

export const isLabelValue = (value: string): boolean => value === '' || isName(value)

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
export const isWhole = (text: string | undefined): boolean =>
  text !== undefined && /^-?\d{1,15}$/.test(text)

/** A complaint shows what it is about, but never pages of it. */
export const quoted = (text: string): string =>
  JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)

const wrong = (problem: string): InvalidInput => new InvalidInput(`label selector: ${problem}`)
