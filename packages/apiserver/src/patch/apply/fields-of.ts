import { isObject } from '@machinist/core/encoding/json'
import type { Shape } from '../shapes/shape.ts'
import { isField, plain, shapeAt } from '../shapes/shape.ts'
import type { Path } from './field-set.ts'
import { FieldSet } from './field-set.ts'
import { fieldElement, itemElement } from './path-element.ts'

/** The fields of an applied object: values, list items with keys, map entries. */
export function fieldsOf(object: unknown, shape: Shape): FieldSet {
  return FieldSet.from(pathsIn(object, shape, []))
}

/**
 * Adds every named field on the way to the paths of the set. Removing a field removes its parent if nothing else is
 * left in it; map entries stay, even if empty.
 */
export function withNamedParents(set: FieldSet, shape: Shape): FieldSet {
  const isNamed = (step: string): boolean => step.startsWith('f:') && isField(shape, step.slice(2))
  return set.rebuilt(
    (members, parents) => new Set([...members, ...parents.filter(isNamed)]),
    (below, step) => withNamedParents(below, shapeBelow(shape, step)),
  )
}

function shapeBelow(shape: Shape, step: string): Shape {
  if (step.startsWith('f:')) return shapeAt(shape, step.slice(2))
  return shape.items ?? plain
}

function* pathsIn(value: unknown, shape: Shape, path: Path): Generator<Path> {
  if (isObject(value) && !shape.atomic) yield* pathsInObject(value, shape, path)
  else if (Array.isArray(value) && shape.list) yield* pathsInList(value, shape, path)
  else if (value !== null || shape.atomic || !shape.list) yield path
}

function* pathsInObject(value: Record<string, unknown>, shape: Shape, path: Path): Generator<Path> {
  for (const [key, content] of Object.entries(value)) {
    if (content === undefined) continue
    const here = [...path, fieldElement(key)]
    yield* pathsIn(content, shapeAt(shape, key), here)
    if (isEmpty(content) || !isField(shape, key)) yield here
  }
}

function* pathsInList(value: readonly unknown[], shape: Shape, path: Path): Generator<Path> {
  const items = Map.groupBy(value, (item) => itemElement(shape, item))
  for (const [step, same] of items) {
    if (typeof step !== 'string') continue
    const here = [...path, step]
    // Parts of duplicate items cannot be owned.
    if (same.length === 1) yield* pathsIn(same[0], shape.items ?? plain, here)
    yield here
  }
}

function isEmpty(value: unknown): boolean {
  return value === null || (isObject(value) && Object.keys(value).length === 0)
}
