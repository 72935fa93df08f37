import { canonicalJson, isObject, sameJson } from '@machinist/core/json'
import type { StructuralSchema } from './structural-schema.ts'

/**
 * Validation ratcheting: what an update leaves as it was is not held against it, even where the schema has become
 * stricter. Old and new parts correspond by key in objects and by their keys in lists of type map; items of other
 * lists correspond to nothing.
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

/** For each item of a list, what and where it was before. */
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

/** The values of an item's keys, as text that can be compared. */
export function identity(item: unknown, keys: readonly string[]): string {
  return isObject(item) ? canonicalJson(keys.map((key) => oldMember(item, key) ?? null)) : ''
}
