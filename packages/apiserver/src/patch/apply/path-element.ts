import { isObject } from '@machinist/core/encoding/json'
import type { Shape } from '../shapes/shape.ts'

/**
 * A path element as in FieldsV1: `f:name` a field, `k:{"type":"Ready"}` an item by its keys, `v:"x"` an item of a
 * set, `i:0` an index. Canonical, so that equal elements are equal strings.
 */
export type PathElement = string

export const fieldElement = (name: string): PathElement => `f:${name}`

/** The element of an item of a set or keyed list, or why it has none. */
export function itemElement(shape: Shape, item: unknown): PathElement | { readonly wrong: string } {
  return shape.list === 'map' ? keyElement(shape, item) : valueElement(item)
}

/** The canonical form of an element; undefined if it is invalid. */
export function readElement(text: string): PathElement | undefined {
  const rest = text.slice(2)
  switch (text.slice(0, 2)) {
    case 'f:':
      return text
    case 'i:':
      return /^-?\d{1,15}$/.test(rest) ? `i:${Number(rest)}` : undefined
    case 'v:': {
      const value = parsed(rest)
      return value === undefined ? undefined : `v:${goJson(value)}`
    }
    case 'k:': {
      const keys = parsed(rest)
      return isObject(keys) ? keyText(Object.entries(keys)) : undefined
    }
    default:
      return undefined
  }
}

/** kube-apiserver's order: fields, keys, values, indexes. */
export function compareElements(a: PathElement, b: PathElement): number {
  const kind = kinds.indexOf(a[0]!) - kinds.indexOf(b[0]!)
  if (kind !== 0) return kind
  if (a[0] === 'f') return compareText(a, b)
  const [left, right] = [parsed(a.slice(2)), parsed(b.slice(2))]
  return a[0] === 'k' ? compareKeys(left, right) : compareValues(left, right)
}

/** The printed form of a path: `.spec.containers[name="a"].image`. */
export function pathText(path: readonly PathElement[]): string {
  return path.map(elementText).join('')
}

export function elementText(element: PathElement): string {
  const rest = element.slice(2)
  switch (element[0]) {
    case 'f':
      return `.${rest}`
    case 'v':
      return `[=${rest}]`
    case 'i':
      return `[${rest}]`
    case 'k':
    case undefined:
    default: {
      const keys = Object.entries(parsed(rest) as object)
      return `[${keys.map(([name, value]) => `${name}=${goJson(value)}`).join(',')}]`
    }
  }
}

const kinds = 'fkvi'

function keyElement(shape: Shape, item: unknown): PathElement | { readonly wrong: string } {
  if (item === null) {
    return { wrong: 'associative list with keys may not have a null element' }
  }
  if (!isObject(item)) return { wrong: 'associative list with keys may not have non-map elements' }
  const keys: [string, unknown][] = []
  for (const name of shape.keys ?? []) {
    const value = Object.hasOwn(item, name) ? item[name] : shape.keyDefaults?.[name]
    if (value === undefined) return { wrong: keyless(name) }
    keys.push([name, value])
  }
  return keyText(keys)
}

const keyless = (name: string): string =>
  `associative list with keys has an element that omits key field ${JSON.stringify(name)} (and doesn't have default value)`

function valueElement(item: unknown): PathElement | { readonly wrong: string } {
  if (Array.isArray(item)) {
    return { wrong: 'not supported: associative list with lists as elements' }
  }
  if (item === null) {
    return { wrong: "associative list without keys has an element that's an explicit null" }
  }
  if (isObject(item)) {
    return { wrong: "associative list without keys has an element that's a map type" }
  }
  return `v:${goJson(item)}`
}

function keyText(keys: readonly (readonly [string, unknown])[]): PathElement {
  const sorted = [...keys].sort(([a], [b]) => compareText(a, b))
  return `k:{${sorted.map(([name, value]) => `${goJson(name)}:${goJson(value)}`).join(',')}}`
}

/** JSON as Go prints it, with escaped HTML. */
function goJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[<>&\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function compareKeys(a: unknown, b: unknown): number {
  const [left, right] = [Object.entries(a as object), Object.entries(b as object)]
  for (const [i, [name, value]] of left.entries()) {
    const other = right[i]
    if (!other) return 1
    const order = compareText(name, other[0]) || compareValues(value, other[1])
    if (order !== 0) return order
  }
  return left.length - right.length
}

function compareValues(a: unknown, b: unknown): number {
  const rank = rankOf(a) - rankOf(b)
  if (rank !== 0) return rank
  if (typeof a === 'number') return a - (b as number)
  if (typeof a === 'boolean') return Number(a) - Number(b)
  return compareText(String(a), String(b))
}

const ranks = ['number', 'string', 'boolean']

function rankOf(value: unknown): number {
  const rank = ranks.indexOf(typeof value)
  return rank === -1 ? ranks.length : rank
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
