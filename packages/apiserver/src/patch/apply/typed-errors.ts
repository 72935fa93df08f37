import { isObject } from '@machinist/core/encoding/json'
import { goText, goType } from '../../go/value-text.ts'
import type { DeclaredType, Shape } from '../shapes/shape.ts'
import { isField, namedShape, plain, shapeAt } from '../shapes/shape.ts'
import { elementText, fieldElement, itemElement } from './path-element.ts'

/** Type errors of an applied object, with their paths. */
export function typedErrors(object: unknown, shape: Shape): string[] {
  return [...errorsIn(object, shape, '')]
}

/** kube-apiserver's message for one or several errors. */
export function typedErrorText(errors: readonly string[]): string {
  return errors.length === 1 ? errors[0]! : ['errors:', ...errors.map((e) => `  ${e}`)].join('\n')
}

function* errorsIn(value: unknown, shape: Shape, path: string): Generator<string> {
  if (value === null || value === undefined) return
  const expected = shape.declared
  if (expected && expected !== 'anything' && !isOfType(value, expected)) {
    const got = expected === 'numeric' ? goType(value) : `&{${goText(value)}}`
    yield `${path}: expected ${typeNames[expected]}, got ${got}`
  } else if (isObject(value)) {
    yield* errorsInObject(value, shape, path)
  } else if (Array.isArray(value)) {
    yield* errorsInList(value as unknown[], shape, path)
  }
}

const typeNames = {
  map: 'map',
  list: 'list',
  string: 'string',
  numeric: 'numeric (int or float)',
  boolean: 'boolean',
} as const

function isOfType(value: unknown, expected: Exclude<DeclaredType, 'anything'>): boolean {
  if (expected === 'map') return isObject(value)
  if (expected === 'list') return Array.isArray(value)
  return typeof value === (expected === 'numeric' ? 'number' : expected)
}

function* errorsInObject(
  value: Record<string, unknown>,
  shape: Shape,
  path: string,
): Generator<string> {
  const step = (key: string): string => `${path}${elementText(fieldElement(key))}`
  const isUnknown = (key: string): boolean =>
    shape.declared !== undefined && isField(shape, key) && !namedShape(shape, key)
  const unknown = Object.keys(value).find(isUnknown)
  // An object with unknown fields gets no further errors.
  if (unknown !== undefined) {
    yield `${step(unknown)}: field not declared in schema`
    return
  }
  for (const [key, content] of Object.entries(value)) {
    yield* errorsIn(content, shapeAt(shape, key), step(key))
  }
}

function* errorsInList(list: readonly unknown[], shape: Shape, path: string): Generator<string> {
  const seen = new Set<string>()
  for (const [i, item] of list.entries()) {
    const step = shape.list ? itemElement(shape, item) : `i:${i}`
    if (typeof step !== 'string') yield `${path}: element ${i}: ${step.wrong}`
    else if (seen.has(step)) yield `${path}: duplicate entries for key ${elementText(step)}`
    else {
      seen.add(step)
      yield* errorsIn(item, shape.items ?? plain, `${path}${elementText(step)}`)
    }
  }
}
