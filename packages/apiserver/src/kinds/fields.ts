import { isObject } from '@machinist/core/encoding/json'
import type { ApiObject } from './kind-rules.ts'

export type Fields = Record<string, unknown>

/** The object in a field, created if absent. */
export function section(object: Fields, field: string): Fields {
  const present = object[field]
  if (isObject(present)) return present
  const fresh: Fields = {}
  object[field] = fresh
  return fresh
}

/** Sets absent fields. `defaults` must be a new object: its values are not copied. */
export function fill(target: Fields, defaults: Fields): void {
  for (const [field, value] of Object.entries(defaults)) target[field] ??= value
}

export const items = (value: unknown): Fields[] =>
  Array.isArray(value) ? value.filter(isObject) : []

export const specOf = (object: ApiObject): Fields => section(object, 'spec')
export const statusOf = (object: ApiObject): Fields => section(object, 'status')

/** Other types count as Go's empty string. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

export const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []

/** Bytes (base64 on the wire) in Go's `%#v` format. */
export function bytesText(value: unknown): string {
  if (typeof value !== 'string') return '[]byte(nil)'
  const bytes = [...Buffer.from(value, 'base64')].map((byte) => `0x${byte.toString(16)}`)
  return `[]byte{${bytes.join(', ')}}`
}

/** The members of an object; none for other values. */
export const membersOf = (value: unknown): Fields => (isObject(value) ? value : {})
