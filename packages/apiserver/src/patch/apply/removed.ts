import { isObject } from '@machinist/core/encoding/json'
import type { Shape } from '../shapes/shape.ts'
import { plain, shapeAt } from '../shapes/shape.ts'
import type { FieldSet } from './field-set.ts'
import { fieldElement, itemElement } from './path-element.ts'

/** The object without these fields. Emptied values become null, as in kube-apiserver. */
export function withoutFields(value: unknown, fields: FieldSet, shape: Shape): unknown {
  if (Array.isArray(value)) return listWithout(value as unknown[], fields, shape)
  return isObject(value) ? objectWithout(value, fields, shape) : value
}

function objectWithout(
  value: Record<string, unknown>,
  fields: FieldSet,
  shape: Shape,
): Record<string, unknown> | null {
  if (shape.atomic) return null
  const kept = new Map<string, unknown>()
  for (const [key, content] of Object.entries(value)) {
    const step = fieldElement(key)
    if (fields.hasMember(step)) continue
    const below = fields.below(step)
    kept.set(key, below.isEmpty ? content : withoutFields(content, below, shapeAt(shape, key)))
  }
  return kept.size === 0 ? null : Object.fromEntries(kept)
}

function listWithout(value: readonly unknown[], fields: FieldSet, shape: Shape): unknown {
  if (!shape.list) return null
  const kept = value.flatMap((item) => {
    const step = itemElement(shape, item)
    if (typeof step !== 'string') return [item]
    if (fields.hasMember(step)) return []
    const below = fields.below(step)
    return [below.isEmpty ? item : withoutFields(item, below, shape.items ?? plain)]
  })
  return kept.length === 0 ? null : kept
}
