import { isObject } from '@machinist/core/json'

/** A value as kube-apiserver's messages show it: Go's `%v`, with quotes around text. */
export function shown(value: unknown): string {
  if (value === null || value === undefined) return '"null"'
  if (typeof value === 'string') return quoted(value)
  return typeof value === 'object' ? written(value) : plain(value)
}

/** Text in Go's double quotes. */
export function quoted(text: string): string {
  return JSON.stringify(text).replaceAll(/\\u00([01][0-9a-f])|\x7f/g, (whole, digits?: string) =>
    digits === undefined ? '\\x7f' : (escapes[whole] ?? `\\x${digits}`),
  )
}

/** Go's shortest text of a number: as in JavaScript, but small ones get an exponent earlier and two digits in it. */
export function numberText(value: number): string {
  const size = Math.abs(value)
  if (size !== 0 && size < 1e-4) return withLongExponent(value.toExponential())
  return withLongExponent(String(value))
}

/** Go's `%#v` of what JSON decodes to; keys are sorted. */
function written(value: unknown): string {
  if (Array.isArray(value)) {
    const type = value.length > 0 && value.every((item) => typeof item === 'string') ? 'string' : ''
    const items = value.map((item) => written(item)).join(', ')
    return type === 'string' ? `[]string{${items}}` : `[]interface {}{${items}}`
  }
  if (isObject(value)) {
    const members = Object.keys(value)
      .sort()
      .map((key) => `${quoted(key)}:${written(value[key])}`)
    return `map[string]interface {}{${members.join(', ')}}`
  }
  if (value === null || value === undefined) return 'interface {}(nil)'
  return typeof value === 'string' ? quoted(value) : plain(value)
}

const plain = (value: unknown): string =>
  typeof value === 'number' ? numberText(value) : String(value)

const withLongExponent = (text: string): string => text.replace(/e([+-])(\d)$/, 'e$10$2')

const escapes: Readonly<Record<string, string>> = { '\\u0007': '\\a', '\\u000b': '\\v' }
