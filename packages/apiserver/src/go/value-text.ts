import { isObject } from '@machinist/core/encoding/json'

/** A value in Go's `%v` format, as in some messages of kube-apiserver. */
export function goText(value: unknown): string {
  if (value === null || value === undefined) return '<nil>'
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`
  if (!isObject(value)) return typeof value === 'string' ? value : JSON.stringify(value)
  const members = Object.keys(value)
    .sort()
    .map((key) => `${key}:${goText(value[key])}`)
  return `map[${members.join(' ')}]`
}

/** The type name of a value in errors of Go's JSON decoder. */
export function goJsonType(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'boolean') return 'bool'
  return typeof value
}

/** Go's `%T` of a decoded JSON value. */
export function goType(value: unknown): string {
  if (value === null || value === undefined) return '<nil>'
  if (Array.isArray(value)) return '[]interface {}'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64'
  return typeof value === 'string' ? 'string' : 'map[string]interface {}'
}
