import type { LabelSelectorSpec } from '@machinist/core/objects/selectors'
import { matchesLabels, nothing, selectorFromSpec } from '@machinist/core/objects/selectors'
import type { StatusCause } from '../status/status-error.ts'
import { forbidden, invalidValue, requiredValue } from '../status/causes.ts'
import type { Fields } from '../kinds/fields.ts'
import { items, membersOf, textOf, textsOf } from '../kinds/fields.ts'
import { labelProblems, qualifiedNameProblems } from './names.ts'

/** Validates a label selector at `field`. */
export function selectorProblems(selector: unknown, field: string): StatusCause[] {
  const { matchLabels, matchExpressions } = membersOf(selector)
  return [
    ...labelProblems(`${field}.matchLabels`, membersOf(matchLabels)),
    ...items(matchExpressions).flatMap((expression, place) =>
      expressionProblems(expression, `${field}.matchExpressions[${place}]`),
    ),
  ]
}

function expressionProblems(expression: Fields, at: string): StatusCause[] {
  const key = textOf(expression['key'])
  return [
    ...operatorProblems(expression, at),
    ...qualifiedNameProblems(key).map((problem) => invalidValue(`${at}.key`, key, problem)),
  ]
}

function operatorProblems(expression: Fields, at: string): StatusCause[] {
  const values = textsOf(expression['values'])
  const operator = textOf(expression['operator'])
  switch (operator) {
    case 'In':
    case 'NotIn':
      return values.length > 0 ? [] : [requiredValue(`${at}.values`, needsValues)]
    case 'Exists':
    case 'DoesNotExist':
      return values.length === 0 ? [] : [forbidden(`${at}.values`, needsNoValues)]
    default:
      return [invalidValue(`${at}.operator`, operator, 'not a valid selector operator')]
  }
}

const needsValues = "must be specified when `operator` is 'In' or 'NotIn'"
const needsNoValues = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"

export const isEmptySelector = (selector: Fields): boolean =>
  Object.keys(membersOf(selector['matchLabels'])).length === 0 &&
  items(selector['matchExpressions']).length === 0

/** An absent selector selects nothing. */
export function selects(selector: unknown, labels: Fields): boolean {
  const spec = selector as LabelSelectorSpec | undefined
  return matchesLabels(selectorFromSpec(spec, nothing), labels as Record<string, string>)
}

/** A selector as Go prints it. */
export function selectorText(selector: Fields): string {
  const labels = labelsText(selector['matchLabels'])
  const expressions = items(selector['matchExpressions']).map(({ key, operator, values }) => {
    const list = textsOf(values).map((value) => JSON.stringify(value))
    const printed = list.length === 0 ? '[]string(nil)' : `[]string{${list.join(', ')}}`
    return `v1.LabelSelectorRequirement{Key:${JSON.stringify(textOf(key))}, Operator:${JSON.stringify(textOf(operator))}, Values:${printed}}`
  })
  const type = '[]v1.LabelSelectorRequirement'
  const list = expressions.length === 0 ? `${type}(nil)` : `${type}{${expressions.join(', ')}}`
  return `v1.LabelSelector{MatchLabels:${labels}, MatchExpressions:${list}}`
}

/** Labels as Go prints them. */
export function labelsText(labels: unknown): string {
  const entries = Object.entries(membersOf(labels)).sort(([a], [b]) => (a < b ? -1 : 1))
  if (entries.length === 0) return 'map[string]string(nil)'
  const printed = entries.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`)
  return `map[string]string{${printed.join(', ')}}`
}

/** An invalid value in a Go format of its own. */
export function invalidText(field: string, printed: string, why: string): StatusCause {
  return { reason: 'FieldValueInvalid', message: `Invalid value: ${printed}: ${why}`, field }
}
