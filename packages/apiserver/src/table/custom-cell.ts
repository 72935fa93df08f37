import { canonicalJson } from '@machinist/core/json'
import type { Column } from '../kinds/served-kind.ts'
import { ageOf } from './human-duration.ts'
import type { JsonPath } from './json-path.ts'
import { parseJsonPath } from './json-path.ts'

/** A cell of a column that a CRD defines: the first value the path finds, or null. */
export function customCell(
  object: unknown,
  path: string,
  type: Column['type'],
  now: number,
): unknown {
  const [value] = found(object, path)
  if (value === undefined) return null
  return type === 'string' ? cellText(value) : (typed[type](value, now) ?? null)
}

function found(object: unknown, path: string): unknown[] {
  let parsed = paths.get(path)
  if (!paths.has(path)) {
    parsed = parseJsonPath(path)
    if (paths.size >= mostPaths) paths.clear()
    paths.set(path, parsed)
  }
  try {
    return parsed?.(object) ?? []
  } catch (error) {
    // A comparison that makes no sense for this object: an empty cell, not a failed list.
    if (error instanceof TypeError) return []
    throw error
  }
}

/** Paths that were read before: a list asks for the same few again and again. */
const paths = new Map<string, JsonPath | undefined>()
const mostPaths = 1000

type Print = (value: unknown, now: number) => unknown

/** A value of another type than its column says is not shown. */
const typed: Readonly<Record<Exclude<Column['type'], 'string'>, Print>> = {
  integer: (value) => (typeof value === 'number' ? Math.trunc(value) : undefined),
  number: (value) => (typeof value === 'number' ? value : undefined),
  boolean: (value) => (typeof value === 'boolean' ? value : undefined),
  date: (value, now) => {
    if (typeof value !== 'string') return undefined
    if (value === '' || value === 'null') return '<unknown>'
    return rfc3339.test(value) ? ageOf(value, now) : '<invalid>'
  },
}

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/

function cellText(value: unknown): string {
  if (value === null) return '<no value>'
  if (typeof value === 'number') return numberText(value)
  return typeof value === 'string' ? value : jsonText(value)
}

/** Go's form of numbers: an exponent early, with two digits at least. */
function numberText(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 2 ** 63) return BigInt(value).toString()
  const [digits, exponent] = value.toExponential().split('e')
  const power = Number(exponent)
  if (power >= -4 && power < 6) return String(value)
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`
}

/** Sorted, and with the characters escaped that mean something in HTML, as Go prints JSON. */
function jsonText(value: unknown): string {
  return canonicalJson(value).replaceAll(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
