import { canonicalJson, isObject, sameJson } from '@machinist/core/encoding/json'
import type { StructuralSchema } from './structure/structural-schema.ts'

/**
 * Validation ratcheting: an update is not rejected for unchanged invalid values, even if the schema has become
 * stricter. Object members correspond by key, items of lists of type map by their keys; items of other lists do not
 * correspond.
 */
export function unchanged(value: unknown, old: unknown): boolean {
  return old !== undefined && sameJson(value, old)
}

export function oldMember(old: unknown, key: string): unknown {
  return isObject(old) && Object.hasOwn(old, key) ? old[key] : undefined
}

export interface OldItem {
  readonly item: unknown
  readonly index: number
}

/** The old item and index of each list item. */
export function oldItems(
  schema: StructuralSchema,
  value: readonly unknown[],
  old: unknown,
): (index: number) => OldItem | undefined {
  if (schema['x-kubernetes-list-type'] !== 'map' || !Array.isArray(old)) return () => undefined
  const keys = schema['x-kubernetes-list-map-keys'] ?? []
  const before = new Map<string, OldItem>()
  for (const [index, item] of (old as unknown[]).entries()) {
    if (isObject(item)) before.set(identity(item, keys), { item, index })
  }
  return (index) => (isObject(value[index]) ? before.get(identity(value[index], keys)) : undefined)
}

/** The key values of an item, as a comparable string. */
export function identity(item: unknown, keys: readonly string[]): string {
  return isObject(item) ? canonicalJson(keys.map((key) => oldMember(item, key) ?? null)) : ''
}
