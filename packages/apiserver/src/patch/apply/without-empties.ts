import { isObject } from '@machinist/core/encoding/json'
import type { Shape } from '../shapes/shape.ts'
import { plain, shapeAt } from '../shapes/shape.ts'

/**
 * The form of a built-in object after kube-apiserver has decoded it: no nulls, no empty maps, no empty keyed lists.
 * Empty structs (`emptyDir: {}`) stay, and creationTimestamp of a template is always null.
 */
export function withoutEmpties(value: unknown, shape: Shape): unknown {
  if (Array.isArray(value)) {
    return value.map((item) => withoutEmpties(item, shape.items ?? plain))
  }
  if (!isObject(value)) return value
  const kept = new Map<string, unknown>()
  for (const [key, content] of Object.entries(value)) {
    const below = shapeAt(shape, key)
    const left = withoutEmpties(content, below)
    if (key === 'creationTimestamp' || !isNothing(left, below)) kept.set(key, left)
  }
  return Object.fromEntries(kept)
}

function isNothing(value: unknown, shape: Shape): boolean {
  if (value === null || value === undefined) return true
  if (Array.isArray(value)) return shape.list !== undefined && value.length === 0
  return isObject(value) && shape.entries !== undefined && Object.keys(value).length === 0
}
