import type { StatusCause } from '../status/status-error.ts'
import { wrongType } from '../status/causes.ts'
import type { StructuralSchema } from './structure/structural-schema.ts'
import type { Place } from './structure/place.ts'
import { nameOf } from './structure/place.ts'

/** JSON type of a value; numbers are integers if Go would decode them as such. */
export function typeOf(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return isInteger(value) ? 'integer' : 'number'
  return typeof value
}

export function typeProblem(
  schema: StructuralSchema,
  value: unknown,
  place: Place,
): StatusCause | undefined {
  const expected = schema['x-kubernetes-int-or-string'] ? 'integer,string' : schema.type
  if (expected === undefined || (value === null && schema.nullable === true)) return undefined
  const is = typeOf(value)
  if (is === expected || (is === 'integer' && expected === 'number')) return undefined
  if (expected === 'integer,string' && (is === 'integer' || is === 'string')) return undefined
  // With a format, kube-apiserver reports the format and Go types.
  const formatted = expected === 'string' && schema.format !== undefined && is in goFormats
  const [must, but] = formatted ? [schema.format, goFormats[is]!] : [expected, is]
  return wrongType(place.path, but, `${nameOf(place)} in body must be of type ${must}: "${but}"`)
}

const goFormats: Readonly<Record<string, string>> = { integer: 'int64', number: 'double' }

const isInteger = (value: number): boolean => Number.isInteger(value) && Math.abs(value) < 2 ** 63
