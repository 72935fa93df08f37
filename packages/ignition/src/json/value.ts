import { isObject } from '@machinist/core/encoding/json'
import type { JsonMember, JsonNode } from './json.ts'

/** The node of a value from JSON.parse or an API. Nested nodes are created lazily. */
export function nodeOf(value: unknown): JsonNode {
  const offset = 0
  if (typeof value === 'string') return { kind: 'string', offset, text: value.toWellFormed() }
  if (typeof value === 'number') return { kind: 'number', offset, text: String(value) }
  if (typeof value === 'boolean') return { kind: 'bool', offset, text: String(value) }
  if (Array.isArray(value)) return new ListNode(value)
  if (!isObject(value)) return { kind: 'null', offset, text: 'null' }
  return new ObjectNode(value)
}

// Classes, because an object literal would create its getters for every object.
class ListNode {
  readonly kind = 'array'
  readonly offset = 0
  readonly #list: readonly unknown[]

  constructor(list: readonly unknown[]) {
    this.#list = list
  }

  get items(): JsonNode[] {
    return this.#list.map(nodeOf)
  }
}

class ObjectNode {
  readonly kind = 'object'
  readonly offset = 0
  readonly #object: Record<string, unknown>

  constructor(object: Record<string, unknown>) {
    this.#object = object
  }

  get members(): JsonMember[] {
    const members: JsonMember[] = []
    for (const [key, inner] of Object.entries(this.#object)) {
      if (inner !== undefined) members.push(new Member(key, inner))
    }
    return members
  }
}

class Member {
  readonly key: string
  readonly offset = 0
  readonly #inner: unknown

  constructor(key: string, inner: unknown) {
    this.key = key
    this.#inner = inner
  }

  get value(): JsonNode {
    return nodeOf(this.#inner)
  }
}
