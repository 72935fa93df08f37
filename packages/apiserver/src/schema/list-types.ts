import { canonicalJson, isObject } from '@machinist/core/encoding/json'
import type { StatusCause } from '../status/status-error.ts'
import { duplicateValue } from '../status/causes.ts'
import { identity, oldMember } from './ratchet.ts'
import { memberOf, memberPath } from './structure/members.ts'
import type { StructuralSchema } from './structure/structural-schema.ts'

/** Duplicate items of lists of type set or map; each once. */
export function duplicates(schema: StructuralSchema, value: unknown, path = ''): StatusCause[] {
  if (Array.isArray(value)) {
    const { items } = schema
    const own = duplicateItems(schema, value, path)
    if (!items) return own
    const within = value.flatMap((item, index) => duplicates(items, item, `${path}[${index}]`))
    return [...own, ...within]
  }
  if (!isObject(value)) return []
  return Object.keys(value).flatMap((key) => {
    const member = memberOf(schema, key)
    if (!member) return []
    const at = memberPath(path, key, member.named)
    return duplicates(member.schema, value[key], at)
  })
}

function duplicateItems(
  schema: StructuralSchema,
  value: readonly unknown[],
  path: string,
): StatusCause[] {
  const type = schema['x-kubernetes-list-type']
  if (type !== 'set' && type !== 'map') return []
  const keys = schema['x-kubernetes-list-map-keys'] ?? []
  const seen = new Map<string, number>()
  return value.flatMap((item, index) => {
    if (type === 'map' && !isObject(item)) return []
    const name = type === 'map' ? identity(item, keys) : canonicalJson(item)
    const times = (seen.get(name) ?? 0) + 1
    seen.set(name, times)
    if (times !== 2) return []
    return [duplicateValue(`${path}[${index}]`, type === 'map' ? keysOf(item, keys) : item)]
  })
}

function keysOf(item: unknown, keys: readonly string[]): Record<string, unknown> {
  const present = keys.filter((key) => oldMember(item, key) !== undefined)
  return Object.fromEntries(present.map((key) => [key, oldMember(item, key)]))
}
