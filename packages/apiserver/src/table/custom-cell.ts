import { canonicalJson } from '@machinist/core/encoding/json'
import type { Column } from '../kinds/served-kind.ts'
import { ageOf } from './human-duration.ts'
import type { JsonPath } from './json-path.ts'
import { parseJsonPath } from './json-path.ts'

/** A cell of a CRD column: the first match of the path, or null. */
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
    if (paths.size >= maxPaths) paths.clear()
    paths.set(path, parsed)
  }
  try {
    return parsed?.(object) ?? []
  } catch (error) {
    // Incomparable types: an empty cell, not a failed list.
    if (error instanceof TypeError) return []
    throw error
  }
}

/** Parsed paths: a list uses the same few repeatedly. */
const paths = new Map<string, JsonPath | undefined>()
const maxPaths = 1000

type Print = (value: unknown, now: number) => unknown

/** Values of another type than the column are not printed. */
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

/** Go's number format: an exponent for smaller numbers, with at least two digits. */
function numberText(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 2 ** 63) return BigInt(value).toString()
  const [digits, exponent] = value.toExponential().split('e')
  const power = Number(exponent)
  if (power >= -4 && power < 6) return String(value)
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`
}

/** Sorted keys and escaped HTML, as Go prints JSON. */
function jsonText(value: unknown): string {
  return canonicalJson(value).replaceAll(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
