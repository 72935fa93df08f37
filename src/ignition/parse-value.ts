import { isObject } from '../base/json.ts'
import type { JsonMember, JsonNode } from './parse-json.ts'

/** The node of a value that JSON.parse or an API gave; its inside is looked at only when asked for. */
export function nodeOf(value: unknown): JsonNode {
  const offset = 0
  if (typeof value === 'string') return { kind: 'string', offset, text: value.toWellFormed() }
  if (typeof value === 'number') return { kind: 'number', offset, text: String(value) }
  if (typeof value === 'boolean') return { kind: 'bool', offset, text: String(value) }
  if (Array.isArray(value)) {
    return {
      kind: 'array',
      offset,
      get items() {
        return value.map(nodeOf)
      },
    }
  }
  if (!isObject(value)) return { kind: 'null', offset, text: 'null' }
  return {
    kind: 'object',
    offset,
    get members() {
      return membersOf(value)
    },
  }
}

function membersOf(object: Record<string, unknown>): JsonMember[] {
  return Object.entries(object)
    .filter(([, inner]) => inner !== undefined)
    .map(([key, inner]) => ({
      key,
      offset: 0,
      get value() {
        return nodeOf(inner)
      },
    }))
}
