import { InvalidInput } from '../errors.ts'

/**
 * A label selector: all requirements must match. Parsed from a text (`a=b,c notin (x,y)`) or from an object in a spec.
 */
export type LabelSelector = readonly Requirement[]

export type Requirement =
  /** `notin` also matches if the label is absent, as in Kubernetes. */
  | { readonly key: string; readonly operator: 'in' | 'notin'; readonly values: readonly string[] }
  | { readonly key: string; readonly operator: 'exists' | 'absent' }
  | { readonly key: string; readonly operator: 'above' | 'below'; readonly limit: number }

/** A label selector in a spec (`metav1.LabelSelector`). */
export interface LabelSelectorSpec {
  matchLabels?: Record<string, string>
  matchExpressions?: { key: string; operator: string; values?: string[] }[]
}

export type Labels = Readonly<Record<string, string>>

export const everything: LabelSelector = []
/** Has no text form: callers must not send a request for it. */
export const nothing: LabelSelector = [{ key: 'none', operator: 'in', values: [] }]

export function matchesLabels(selector: LabelSelector, labels: Labels = {}): boolean {
  return selector.every((requirement) => matches(requirement, labels))
}

/**
 * The selector of a spec. `{}` matches everything. Whether an absent selector matches everything or nothing depends on the field,
 * so the caller passes `whenAbsent`.
 */
export function selectorFromSpec(
  spec: LabelSelectorSpec | null | undefined,
  whenAbsent: LabelSelector,
): LabelSelector {
  if (spec === null || spec === undefined) return whenAbsent
  const equal = Object.entries(spec.matchLabels ?? {}).map(([key, value]) => oneOf(key, [value]))
  return [...equal, ...(spec.matchExpressions ?? []).map(fromExpression)]
}

/** The text form for `kubectl -l` and the query parameter `labelSelector`. */
export function formatLabelSelector(selector: LabelSelector): string {
  return selector.map(formatted).join(',')
}

function matches(requirement: Requirement, labels: Labels): boolean {
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
      return isInteger(value) && Number(value) > requirement.limit
    case 'below':
      return isInteger(value) && Number(value) < requirement.limit
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
      if (values.length > 0) throw invalidSelector(`${key}: ${operator} takes no values`)
      return { key: checkedKey(key), operator: operator === 'Exists' ? 'exists' : 'absent' }
    default:
      throw invalidSelector(`${key}: ${operator} is not one of In, NotIn, Exists, DoesNotExist`)
  }
}

type Expression = NonNullable<LabelSelectorSpec['matchExpressions']>[number]

/** Values are sorted and unique, so that equal selectors have equal form. */
function oneOf(
  key: string,
  values: readonly string[],
): { key: string; operator: 'in'; values: string[] } {
  if (values.length === 0) throw invalidSelector(`${key}: In and NotIn need at least one value`)
  const set = [...new Set(values.map((value) => checkedValue(key, value)))].sort()
  return { key: checkedKey(key), operator: 'in', values: set }
}

function checkedKey(key: string): string {
  if (isLabelKey(key)) return key
  throw invalidSelector(`${quotedShort(key)} is not a label key`)
}

export function isLabelKey(key: string): boolean {
  const parts = key.split('/')
  const name = parts.pop()!
  const [prefix, ...rest] = parts
  return rest.length === 0 && isName(name) && (prefix === undefined || isSubdomain(prefix))
}

function checkedValue(key: string, value: string): string {
  if (isLabelValue(value)) return value
  throw invalidSelector(
    `${key}: ${quotedShort(value)} is not a label value (letters, digits, - _ . ; at most 63)`,
  )
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
  if (values.length === 0) throw invalidSelector('a selector that matches nothing has no text form')
  if (values.length === 1) return `${key}${operator === 'in' ? '=' : '!='}${values[0]}`
  return `${key} ${operator} (${values.join(',')})`
}

const isName = (text: string): boolean =>
  text.length <= 63 && /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/.test(text)
const isSubdomain = (text: string): boolean =>
  text.length <= 253 &&
  /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(text)

/** Whether a label value is an integer that a number represents exactly. Only those are compared as numbers. */
export const isInteger = (text: string | undefined): boolean =>
  text !== undefined && /^-?\d{1,15}$/.test(text)

/** The text for a message, truncated to 80 characters. */
export const quotedShort = (text: string): string =>
  JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)

const invalidSelector = (problem: string): InvalidInput =>
  new InvalidInput(`label selector: ${problem}`)
