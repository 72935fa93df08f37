import { isObject } from '@machinist/core/encoding/json'
import { set } from './prune.ts'
import type { StructuralSchema } from './structure/structural-schema.ts'

/**
 * A copy of the object with defaults for members that are absent, or null where null is not allowed. Such a null
 * without a default is dropped. Defaults apply only inside existing objects.
 */
export function fillDefaults(
  schema: StructuralSchema,
  object: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return fill(schema, object) as Record<string, unknown>
}

function fill(schema: StructuralSchema | undefined, value: unknown): unknown {
  if (schema === undefined) return value
  if (Array.isArray(value)) {
    const { items } = schema
    return value.map((item) => fill(items, item === null ? instead(items, item) : item))
  }
  return isObject(value) ? fillMembers(schema, value) : value
}

function fillMembers(
  schema: StructuralSchema,
  value: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const { properties = {}, additionalProperties } = schema
  const others = isObject(additionalProperties) ? additionalProperties : undefined
  const filled: Record<string, unknown> = {}
  const put = (key: string, member: unknown): void => set(filled, key, member)
  for (const key of Object.keys(value)) {
    const member = Object.hasOwn(properties, key) ? properties[key] : others
    const present = value[key] === null ? instead(member, null) : value[key]
    const droppable = present === null && member !== undefined && member.nullable !== true
    if (!droppable) put(key, fill(member, present))
  }
  for (const [key, member] of Object.entries(properties)) {
    if (member.default === undefined || member.default === null) continue
    if (!Object.hasOwn(filled, key)) put(key, fill(member, structuredClone(member.default)))
  }
  return filled
}

/** The replacement of a null: the default, if the field is not nullable. */
function instead(schema: StructuralSchema | undefined, value: null): unknown {
  if (schema === undefined || schema.nullable === true) return value
  return schema.default === undefined ? value : structuredClone(schema.default)
}
