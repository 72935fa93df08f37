import type { Cause } from '../refusal.ts'
import { quoted, shown } from './go-text.ts'

/** What the rules were not asked after such a refusal: the object is not what they expect. */
const blocking = new Set([
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
  'FieldValueNotSupported',
])

export function isBlocking(cause: Cause): boolean {
  return blocking.has(cause.reason ?? '')
}

export function invalidValue(field: string, value: unknown, why: string): Cause {
  return cause('FieldValueInvalid', field, `Invalid value: ${shown(value)}: ${why}`)
}

/** `is` says what the value is: the name of its type, or the value itself where only its format is wrong. */
export function wrongType(field: string, is: string, why: string): Cause {
  return cause('FieldValueTypeInvalid', field, `Invalid value: ${quoted(is)}: ${why}`)
}

export function requiredValue(field: string, why = ''): Cause {
  return cause('FieldValueRequired', field, `Required value${why === '' ? '' : `: ${why}`}`)
}

export function unsupportedValue(
  field: string,
  value: unknown,
  supported: readonly unknown[],
): Cause {
  const list = supported.map((one) => quoted(typeof one === 'string' ? one : shown(one)))
  const message = `Unsupported value: ${shown(value)}: supported values: ${list.join(', ')}`
  return cause('FieldValueNotSupported', field, message)
}

export function tooLong(field: string, most: number): Cause {
  return cause('FieldValueTooLong', field, `Too long: may not be more than ${most} bytes`)
}

export function tooMany(field: string, count: number, most: number): Cause {
  const message = `Too many: ${count}: must have at most ${most} items`
  return cause('FieldValueTooMany', field, message)
}

export function duplicateValue(field: string, value: unknown): Cause {
  return cause('FieldValueDuplicate', field, `Duplicate value: ${shown(value)}`)
}

export function forbidden(field: string, why: string): Cause {
  return cause('FieldValueForbidden', field, `Forbidden: ${why}`)
}

/** The cause that stands for all rules that were not asked. */
export const rulesNotChecked: Cause = invalidValue(
  '',
  null,
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
)

function cause(reason: string, field: string, message: string): Cause {
  return { reason, message, field: field === '' ? '<nil>' : field }
}
