import type { StatusCause } from '../status/status-error.ts'
import { invalidValue, tooLong, wrongType } from '../status/causes.ts'
import { numberText } from '../go/quoted-text.ts'
import { hasFormat } from './structure/formats.ts'
import { compilePattern } from './structure/pattern.ts'
import type { StructuralSchema } from './structure/structural-schema.ts'
import { typeOf } from './types.ts'
import type { Place } from './structure/place.ts'
import { nameOf } from './structure/place.ts'

/** Reports length or else pattern; format is independent. */
export function textProblems(schema: StructuralSchema, text: string, place: Place): StatusCause[] {
  const { format } = schema
  const found = [lengthOrPattern(schema, text, place)]
  if (format !== undefined && !hasFormat(format, text)) {
    const why = `${nameOf(place)} in body must be of type ${format}: ${JSON.stringify(text)}`
    found.push(wrongType(place.path, text, why))
  }
  return found.filter((cause) => cause !== undefined)
}

/** Bounds are compared and printed as integers if the value is an integer, as in Go's validator. */
export function numberProblems(
  schema: StructuralSchema,
  value: number,
  place: Place,
): StatusCause[] {
  const { multipleOf, minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema
  const whole = typeOf(value) === 'integer'
  const bound = (given: number): number => (whole ? Math.trunc(given) : given)
  const found: StatusCause[] = []
  const should = (what: string, limit: number): void => {
    const why = `${nameOf(place)} in body should be ${what} ${numberText(limit)}`
    found.push(invalidValue(place.path, value, why))
  }
  if (multipleOf !== undefined && !isMultiple(value, multipleOf))
    should('a multiple of', multipleOf)
  if (maximum !== undefined) {
    const most = bound(maximum)
    if (exclusiveMaximum === true && value >= most) should('less than', most)
    if (exclusiveMaximum !== true && value > most) should('less than or equal to', most)
  }
  if (minimum !== undefined) {
    const least = bound(minimum)
    if (exclusiveMinimum === true && value <= least) should('greater than', least)
    if (exclusiveMinimum !== true && value < least) should('greater than or equal to', least)
  }
  return found
}

function lengthOrPattern(
  schema: StructuralSchema,
  text: string,
  place: Place,
): StatusCause | undefined {
  const { minLength, maxLength, pattern } = schema
  if (maxLength !== undefined && longerThan(text, maxLength)) return tooLong(place.path, maxLength)
  const wrong = (why: string): StatusCause =>
    invalidValue(place.path, text, `${nameOf(place)} in body should ${why}`)
  if (minLength !== undefined && minLength > 0 && !longerThan(text, minLength - 1)) {
    return wrong(`be at least ${minLength} chars long`)
  }
  if (pattern === undefined || compilePattern(pattern).test(text)) return undefined
  return wrong(`match '${pattern}'`)
}

/** Counts characters, not UTF-16 units. */
function longerThan(text: string, most: number): boolean {
  if (text.length <= most) return false
  if (text.length > most * 2) return true
  return Array.from(text).length > most
}

const isMultiple = (value: number, of: number): boolean => Number.isInteger(value / of)
