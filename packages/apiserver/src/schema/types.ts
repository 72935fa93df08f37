import type { Cause } from '../refusal.ts'
import { wrongType } from './causes.ts'
import type { StructuralSchema } from './structural-schema.ts'
import type { Place } from './place.ts'
import { nameOf } from './place.ts'

/** What JSON calls a value; numbers are integers where Go would decode them as such. */
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
): Cause | undefined {
  const wanted = schema['x-kubernetes-int-or-string'] ? 'integer,string' : schema.type
  if (wanted === undefined || (value === null && schema.nullable === true)) return undefined
  const is = typeOf(value)
  if (is === wanted || (is === 'integer' && wanted === 'number')) return undefined
  if (wanted === 'integer,string' && (is === 'integer' || is === 'string')) return undefined
  // With a format the API server speaks of that, and of Go's types.
  const formatted = wanted === 'string' && schema.format !== undefined && is in goFormats
  const [must, but] = formatted ? [schema.format, goFormats[is]!] : [wanted, is]
  return wrongType(place.path, but, `${nameOf(place)} in body must be of type ${must}: "${but}"`)
}

const goFormats: Readonly<Record<string, string>> = { integer: 'int64', number: 'double' }

const isInteger = (value: number): boolean => Number.isInteger(value) && Math.abs(value) < 2 ** 63
