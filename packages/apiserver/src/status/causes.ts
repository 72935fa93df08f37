import { quoted, fieldValueText } from '../go/quoted-text.ts'
import type { StatusCause } from './status-error.ts'

/** Causes after which CEL rules are not evaluated, since the object does not have the expected types. */
const blocking = new Set([
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
  'FieldValueNotSupported',
])

export function isBlocking(cause: StatusCause): boolean {
  return blocking.has(cause.reason ?? '')
}

export function invalidValue(field: string, value: unknown, why: string): StatusCause {
  return cause('FieldValueInvalid', field, `Invalid value: ${fieldValueText(value)}: ${why}`)
}

/** `is` is the type name of the value, or the value itself if only its format is wrong. */
export function wrongType(field: string, is: string, why: string): StatusCause {
  return cause('FieldValueTypeInvalid', field, `Invalid value: ${quoted(is)}: ${why}`)
}

export function requiredValue(field: string, why = ''): StatusCause {
  return cause('FieldValueRequired', field, `Required value${why === '' ? '' : `: ${why}`}`)
}

export function unsupportedValue(
  field: string,
  value: unknown,
  supported: readonly unknown[],
): StatusCause {
  const list = supported.map((one) => quoted(typeof one === 'string' ? one : fieldValueText(one)))
  const message = `Unsupported value: ${fieldValueText(value)}: supported values: ${list.join(', ')}`
  return cause('FieldValueNotSupported', field, message)
}

export function tooLong(field: string, most: number): StatusCause {
  return cause('FieldValueTooLong', field, `Too long: may not be more than ${most} bytes`)
}

export function tooMany(field: string, count: number, most: number): StatusCause {
  const message = `Too many: ${count}: must have at most ${most} items`
  return cause('FieldValueTooMany', field, message)
}

export function duplicateValue(field: string, value: unknown): StatusCause {
  return cause('FieldValueDuplicate', field, `Duplicate value: ${fieldValueText(value)}`)
}

export function forbidden(field: string, why: string): StatusCause {
  return cause('FieldValueForbidden', field, `Forbidden: ${why}`)
}

/** The cause that replaces all CEL rules that were not evaluated. */
export const rulesNotChecked: StatusCause = invalidValue(
  '',
  null,
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
)

function cause(reason: string, field: string, message: string): StatusCause {
  return { reason, message, field: field === '' ? '<nil>' : field }
}
