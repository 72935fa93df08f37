import { isObject } from '@machinist/core/encoding/json'

/** A value as kube-apiserver's field errors print it: Go's `%v`, with quoted strings. */
export function fieldValueText(value: unknown): string {
  if (value === null || value === undefined) return '"null"'
  if (typeof value === 'string') return quoted(value)
  return typeof value === 'object' ? goSyntaxText(value) : plain(value)
}

/** A string in Go's double quotes. */
export function quoted(text: string): string {
  return JSON.stringify(text).replaceAll(/\\u00([01][0-9a-f])|\x7f/g, (whole, digits?: string) =>
    digits === undefined ? '\\x7f' : (escapes[whole] ?? `\\x${digits}`),
  )
}

/**
 * Go's shortest form of a number: as in JavaScript, but with an exponent for smaller numbers, and two digits in it.
 */
export function numberText(value: number): string {
  const size = Math.abs(value)
  if (size !== 0 && size < 1e-4) return withLongExponent(value.toExponential())
  return withLongExponent(String(value))
}

/** Go's `%#v` of a decoded JSON value; keys are sorted. */
function goSyntaxText(value: unknown): string {
  if (Array.isArray(value)) {
    const type = value.length > 0 && value.every((item) => typeof item === 'string') ? 'string' : ''
    const items = value.map((item) => goSyntaxText(item)).join(', ')
    return type === 'string' ? `[]string{${items}}` : `[]interface {}{${items}}`
  }
  if (isObject(value)) {
    const members = Object.keys(value)
      .sort()
      .map((key) => `${quoted(key)}:${goSyntaxText(value[key])}`)
    return `map[string]interface {}{${members.join(', ')}}`
  }
  if (value === null || value === undefined) return 'interface {}(nil)'
  return typeof value === 'string' ? quoted(value) : plain(value)
}

const plain = (value: unknown): string =>
  typeof value === 'number' ? numberText(value) : String(value)

const withLongExponent = (text: string): string => text.replace(/e([+-])(\d)$/, 'e$10$2')

const escapes: Readonly<Record<string, string>> = { '\\u0007': '\\a', '\\u000b': '\\v' }
