import { isObject } from '@machinist/core/encoding/json'
import { goJsonType, goText } from '../../go/value-text.ts'
import type { Shape } from '../shapes/shape.ts'
import { shapeAt } from '../shapes/shape.ts'
import type { Members } from './directives.ts'
import { directive, failure, orderPrefix, withoutDirectives } from './directives.ts'
import { inOrder, keyIn } from './item-order.ts'
import type { MergeObjects } from './lists.ts'
import { holdsObjects, mergedList } from './lists.ts'

/** `$setElementOrder/<list>`: merges and sorts these lists. Returns the rest of the patch. */
export function applyOrders(
  original: Readonly<Members>,
  patch: Readonly<Members>,
  shape: Shape,
  mergeObjects: MergeObjects,
): { original: Readonly<Members>; patch: Readonly<Members> } {
  const result = new Map(Object.entries(original))
  const rest = new Map(Object.entries(patch))
  for (const [directiveKey, order] of Object.entries(patch)) {
    if (!directiveKey.startsWith(orderPrefix)) continue
    rest.delete(directiveKey)
    const key = directiveKey.slice(orderPrefix.length)
    const below = shapeAt(shape, key)
    const merge = (before: readonly unknown[], added: readonly unknown[]): unknown[] =>
      below.patch?.strategy === 'merge'
        ? mergedList(before, added, below, mergeObjects)
        : [...added]
    const list = ordered(result.get(key), rest.get(key), asList(order), below, merge)
    if (!list) continue
    result.set(key, list)
    rest.delete(key)
  }
  return { original: Object.fromEntries(result), patch: Object.fromEntries(rest) }
}

function ordered(
  original: unknown,
  patch: unknown,
  order: readonly unknown[],
  shape: Shape,
  merge: (before: readonly unknown[], added: readonly unknown[]) => unknown[],
): unknown[] | undefined {
  if (original === undefined && patch === undefined) return undefined
  const before = original === undefined ? [] : asList(original)
  const added = patch === undefined ? [] : asList(patch)
  const mergeKey = shape.patch?.mergeKey
  checkOrder(added, order, mergeKey)
  if (mergeKey !== undefined) for (const item of order) keyIn(item, mergeKey)
  if (before.length + added.length > 0) holdsObjects(before, added)
  if (patch === undefined) return inOrder(before, order, before, mergeKey)
  const merged = original === undefined ? withoutDirectives(added) : merge(before, added)
  return inOrder(merged as unknown[], order, before, mergeKey)
}

/** The items of the patch must be in the requested order. */
function checkOrder(
  patch: readonly unknown[],
  order: readonly unknown[],
  mergeKey: string | undefined,
): void {
  if (order.length === 0) return
  const items = patch.filter((item) => !isObject(item) || !Object.hasOwn(item, directive))
  const id = (item: unknown): unknown => (mergeKey === undefined ? item : keyIn(item, mergeKey))
  let at = 0
  for (const item of items) {
    while (at < order.length && id(order[at]) !== id(item)) at++
    if (at === order.length) {
      throw failure(
        `The order in patch list:\n${goText(patch)}\n doesn't match $setElementOrder list:\n${goText(order)}\n`,
      )
    }
    at++
  }
}

function asList(value: unknown): unknown[] {
  if (Array.isArray(value)) return value as unknown[]
  const type = isObject(value) ? 'map[string]interface {}' : goJsonType(value)
  throw failure(`expected a []interface {}, but received a ${type}`)
}
