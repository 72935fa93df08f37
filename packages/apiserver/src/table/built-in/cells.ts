import { isObject } from '@machinist/core/encoding/json'
import type { Column } from '../../kinds/served-kind.ts'
import { ageOf } from '../human-duration.ts'

export type KubeJson = Readonly<Record<string, unknown>>
export type Cell = (object: KubeJson, now: number) => unknown

/** A column that is always visible. */
export function column(name: string, cell: Cell, type: Column['type'] = 'string'): Column {
  return { name, type, priority: 0, cell }
}

/** A column of `-o wide`. */
export function wideColumn(name: string, cell: Cell): Column {
  return { name, type: 'string', priority: 1, cell }
}

export const ageColumn = column('Age', (object, now) =>
  ageOf(at(object, 'metadata', 'creationTimestamp'), now),
)

/** The value at these keys, if any. */
export function at(object: unknown, ...keys: readonly string[]): unknown {
  let value = object
  for (const key of keys) {
    value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
  }
  return value ?? undefined
}

/** The string at these keys, or `otherwise` if absent or empty. */
export function textAt(object: unknown, keys: readonly string[], otherwise = ''): string {
  const value = at(object, ...keys)
  return typeof value === 'string' && value !== '' ? value : otherwise
}

export function numberAt(object: unknown, ...keys: readonly string[]): number {
  const value = at(object, ...keys)
  return typeof value === 'number' ? value : 0
}

export function listAt(object: unknown, ...keys: readonly string[]): readonly unknown[] {
  const value = at(object, ...keys)
  return Array.isArray(value) ? value : []
}

export function mapAt(object: unknown, ...keys: readonly string[]): KubeJson {
  const value = at(object, ...keys)
  return isObject(value) ? value : {}
}

/** `a=b,c=d`, sorted; `<none>` for no labels. */
export function labelsText(labels: KubeJson): string {
  const pairs = Object.keys(labels)
    .sort()
    .map((key) => `${key}=${textAt(labels, [key])}`)
  return pairs.join(',') || '<none>'
}
