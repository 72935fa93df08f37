import { isObject } from '@machinist/core/json'
import type { Shape } from '../shapes/shape.ts'
import { plain, shapeAt } from '../shapes/shape.ts'

/**
 * What is left of a built-in object once kube-apiserver has read it into its own types: no nulls, no empty maps, no
 * empty lists with keys. Empty structures (`emptyDir: {}`) mean something and stay, and a template's time of creation
 * is always null.
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
