import { isObject, sameJson } from '@machinist/core/encoding/json'
import type { Shape } from '../shapes/shape.ts'
import { plain, shapeAt } from '../shapes/shape.ts'
import type { Path } from './field-set.ts'
import { FieldSet } from './field-set.ts'
import { fieldElement, itemElement } from './path-element.ts'

/** Differences between two objects, by field. */
export interface Comparison {
  readonly added: FieldSet
  readonly modified: FieldSet
  readonly removed: FieldSet
}

export function compare(before: unknown, after: unknown, shape: Shape): Comparison {
  const found: Found = { added: [], modified: [], removed: [] }
  visit(before, after, shape, [], found)
  return {
    added: FieldSet.from(found.added),
    modified: FieldSet.from(found.modified),
    removed: FieldSet.from(found.removed),
  }
}

/** The comparison without fields that this write cannot change. */
export function ignoring(comparison: Comparison, ignored: FieldSet): Comparison {
  return {
    added: comparison.added.without(ignored),
    modified: comparison.modified.without(ignored),
    removed: comparison.removed.without(ignored),
  }
}

type Found = Record<keyof Comparison, Path[]>

function visit(before: unknown, after: unknown, shape: Shape, path: Path, found: Found): void {
  // A value that changed from object to list is compared in both ways.
  const kinds = [...new Set([kindOf(before) ?? kindOf(after), kindOf(after) ?? kindOf(before)])]
  const results = kinds.map((kind) => {
    const hasFields = visitAs(kind ?? 'scalar', [before, after], shape, path, found)
    if (!hasFields) leaf(before, after, path, found)
    return hasFields
  })
  if (!results.at(-1)) return
  if (before === undefined) found.added.push(path)
  else if (after === undefined) found.removed.push(path)
}

type Kind = 'map' | 'list' | 'scalar'

/** Undefined and null take the type of the other side. */
function kindOf(value: unknown): Kind | undefined {
  if (value === undefined || value === null) return undefined
  if (Array.isArray(value)) return 'list'
  return isObject(value) ? 'map' : 'scalar'
}

/** Whether nested fields were compared one by one. */
function visitAs(kind: Kind, pair: Pair, shape: Shape, path: Path, found: Found): boolean {
  if (kind === 'map' && !shape.atomic) return visitFields(pair, shape, path, found)
  if (kind === 'list' && shape.list) return visitItems(pair, shape, path, found)
  return false
}

type Pair = readonly [before: unknown, after: unknown]

function visitFields(pair: Pair, shape: Shape, path: Path, found: Found): boolean {
  const [left, right] = pair.map((side) => (isObject(side) ? side : {})) as [Members, Members]
  const keys = new Set([...keysOf(left), ...keysOf(right)])
  for (const key of keys) {
    const below = [...path, fieldElement(key)]
    visit(own(left, key), own(right, key), shapeAt(shape, key), below, found)
  }
  return keys.size > 0
}

type Members = Record<string, unknown>

function leaf(before: unknown, after: unknown, path: Path, found: Found): void {
  if (before === undefined) found.added.push(path)
  else if (after === undefined) found.removed.push(path)
  else if (!sameJson(before, after)) found.modified.push(path)
}

/** Updates can contain duplicate items; those are compared as one value. */
function visitItems([left, right]: Pair, shape: Shape, path: Path, found: Found): boolean {
  const [before, after] = [itemsOf(left, shape), itemsOf(right, shape)]
  const steps = new Set([...before.keys(), ...after.keys()])
  for (const step of steps) {
    const pair = [before.get(step) ?? [], after.get(step) ?? []] as const
    visitSame(pair, shape.items ?? plain, [...path, step], found)
  }
  return steps.size > 0
}

function visitSame(
  [before, after]: readonly [readonly unknown[], readonly unknown[]],
  shape: Shape,
  path: Path,
  found: Found,
): void {
  if (before.length <= 1 && after.length <= 1) visit(before[0], after[0], shape, path, found)
  else if (before.length > 1 && after.length > 1) {
    if (!sameJson(before, after)) found.modified.push(path)
  } else if (before.length > 1) {
    if (after.length > 0) visit(undefined, after[0], shape, path, found)
    found.removed.push(path)
  } else {
    if (before.length > 0) visit(before[0], undefined, shape, path, found)
    found.added.push(path)
  }
}

function itemsOf(list: unknown, shape: Shape): Map<string, unknown[]> {
  const items = new Map<string, unknown[]>()
  if (!Array.isArray(list)) return items
  for (const item of list as unknown[]) {
    const step = itemElement(shape, item)
    if (typeof step !== 'string') continue
    const same = items.get(step)
    if (same) same.push(item)
    else items.set(step, [item])
  }
  return items
}

const keysOf = (object: Record<string, unknown>): string[] =>
  Object.keys(object).filter((key) => object[key] !== undefined)

const own = (object: Record<string, unknown>, key: string): unknown =>
  Object.hasOwn(object, key) ? object[key] : undefined
