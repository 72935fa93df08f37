import { goText } from '../../go/value-text.ts'
import type { Shape } from '../shapes/shape.ts'
import { plain } from '../shapes/shape.ts'
import type { Members } from './directives.ts'
import { directive, failure } from './directives.ts'
import { inOrder, keyIn } from './item-order.ts'

export type MergeObjects = (original: Members, patch: Members, shape: Shape) => Members

/** Merges a list patch: objects by merge key, scalars as a set. */
export function mergedList(
  original: readonly unknown[],
  patch: readonly unknown[],
  shape: Shape,
  mergeObjects: MergeObjects,
): unknown[] {
  if (original.length + patch.length === 0) return []
  if (!holdsObjects(original, patch)) {
    const both = [...new Set([...original, ...patch])]
    return inOrder(both, patch, original, undefined)
  }
  const mergeKey = shape.patch?.mergeKey
  if (mergeKey === undefined) throw failure('cannot merge lists without merge key for the field')
  const { left, added } = applyDirectives(
    original as readonly Members[],
    patch as readonly Members[],
    mergeKey,
  )
  const both = mergedItems(left, added, mergeKey, (one, item) =>
    mergeObjects(one, item, shape.items ?? plain),
  )
  return inOrder(both, added, left, mergeKey)
}

/** `$deleteFromPrimitiveList`. */
export function withoutItems(original: readonly unknown[], gone: readonly unknown[]): unknown[] {
  if (original.length + gone.length > 0 && holdsObjects(original, gone)) {
    throw failure('only items that are no objects can be deleted from a list by their value')
  }
  const values = new Set(gone)
  return original.filter((item) => !values.has(item))
}

/** All items must have the same type. */
export function holdsObjects(...lists: (readonly unknown[])[]): boolean {
  const kinds = new Set(lists.flat().map(kindOf))
  if (kinds.has('null') || kinds.size > 1) {
    throw failure(`list element types are not identical: ${goText(lists)}`)
  }
  return kinds.has('object')
}

function kindOf(item: unknown): string {
  if (item === null) return 'null'
  return Array.isArray(item) ? 'list' : typeof item
}

function applyDirectives(
  original: readonly Members[],
  patch: readonly Members[],
  mergeKey: string,
): { left: readonly Members[]; added: readonly Members[] } {
  const added = patch.filter((item) => !Object.hasOwn(item, directive))
  const deleted = new Set<unknown>()
  let replaces = false
  for (const item of patch) {
    if (!Object.hasOwn(item, directive)) continue
    const what = item[directive]
    if (what === 'replace') replaces = true
    else if (what === 'delete') deleted.add(keyIn(item, mergeKey))
    else if (what === 'merge') throw failure('merging lists cannot yet be specified in the patch')
    else throw failure(`unknown patch type: ${goText(what)} in map: ${goText(item)}`)
  }
  if (replaces) return { left: added, added: [] }
  return { left: original.filter((item) => !deleted.has(item[mergeKey])), added }
}

function mergedItems(
  original: readonly Members[],
  patch: readonly Members[],
  mergeKey: string,
  merge: (original: Members, patch: Members) => Members,
): Members[] {
  const result = [...original]
  // The first of duplicate items is merged.
  const places = new Map(result.map((item, i) => [item[mergeKey], i] as const).reverse())
  for (const item of patch) {
    const key = keyIn(item, mergeKey)
    const at = places.get(key)
    if (at !== undefined) result[at] = merge(result[at]!, item)
    else places.set(key, result.push(item) - 1)
  }
  return result
}
