import { isObject } from '@machinist/core/encoding/json'
import { goText } from '../../go/value-text.ts'
import { failure } from './directives.ts'

/** A merged list in the patch's order; items that only the server has stay behind the item before them. */
export function inOrder(
  items: readonly unknown[],
  order: readonly unknown[],
  original: readonly unknown[],
  mergeKey: string | undefined,
): unknown[] {
  const id = (item: unknown): unknown =>
    mergeKey !== undefined && isObject(item) ? item[mergeKey] : item
  const positions = new Map(order.map((item, i) => [id(item), i]))
  // The first of duplicate items counts.
  const before = new Map(original.map((item, i) => [id(item), i] as const).reverse())
  const isPatched = (item: unknown): boolean => positions.has(id(item))
  const patched = items.filter(isPatched)
  patched.sort((a, b) => positions.get(id(a))! - positions.get(id(b))!)
  const servers = items.filter((item) => !isPatched(item))
  const at = (item: unknown): number => before.get(id(item)) ?? Infinity
  servers.sort((a, b) => (at(a) === at(b) ? 0 : at(a) - at(b)))
  return interleaved(servers, patched, at)
}

/** The merge key value of an item. */
export function keyIn(item: unknown, mergeKey: string): unknown {
  if (!isObject(item) || !Object.hasOwn(item, mergeKey)) {
    throw failure(`map: ${goText(item)} does not contain declared merge key: ${mergeKey}`)
  }
  return item[mergeKey]
}

function interleaved(
  servers: readonly unknown[],
  patched: readonly unknown[],
  at: (item: unknown) => number,
): unknown[] {
  const result: unknown[] = []
  let [s, p] = [0, 0]
  while (s < servers.length && p < patched.length) {
    const patchedFirst = at(patched[p]) === Infinity || at(patched[p]) < at(servers[s])
    result.push(patchedFirst ? patched[p++] : servers[s++])
  }
  return [...result, ...servers.slice(s), ...patched.slice(p)]
}
