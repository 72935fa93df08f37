import { isObject } from '@machinist/core/encoding/json'
import type { StructuralSchema } from '../schema/structure/structural-schema.ts'
import { durationOf } from './cel.ts'

/** JSON without a schema as CEL values: integral numbers are ints. */
export function dynamicValue(value: unknown): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => dynamicValue(item))
  return members(Object.entries(value).map(([key, of]) => [key, dynamicValue(of)]))
}

/**
 * JSON with a schema as CEL values. Declared members are accessible by their escaped names, other members not at all;
 * metadata has only the names.
 */
export function typedValue(schema: StructuralSchema, value: unknown): unknown {
  if (value === null) return value
  if (typeof value === 'number') return numberValue(schema, value)
  if (typeof value === 'string') return textValue(schema, value)
  if (Array.isArray(value)) {
    const { items } = schema
    return value.map((item) => (items ? typedValue(items, item) : dynamicValue(item)))
  }
  return isObject(value) ? objectValue(schema, value) : value
}

/** Adds apiVersion, kind and metadata, which the root and embedded resources always have. */
export function withTypeMeta(schema: StructuralSchema): StructuralSchema {
  const text = { type: 'string' } as const
  const metadata = { type: 'object', properties: { name: text, generateName: text } } as const
  return {
    ...schema,
    properties: { ...schema.properties, apiVersion: text, kind: text, metadata },
  }
}

/** The name of a property in expressions: `my-field` is `my__dash__field`. Undefined if it has none. */
export function escapedName(key: string): string | undefined {
  if (keywords.has(key)) return `__${key}__`
  if (!/^[A-Za-z_][\w./-]*$/.test(key)) return undefined
  return key
    .replaceAll('__', '__underscores__')
    .replaceAll('.', '__dot__')
    .replaceAll('-', '__dash__')
    .replaceAll('/', '__slash__')
}

function objectValue(schema: StructuralSchema, value: Readonly<Record<string, unknown>>): unknown {
  const { additionalProperties } = schema
  if (isObject(additionalProperties)) {
    const entries = Object.keys(value).map((key): [string, unknown] => [
      key,
      typedValue(additionalProperties, value[key]),
    ])
    return members(entries)
  }
  const known = schema['x-kubernetes-embedded-resource'] ? withTypeMeta(schema) : schema
  const { properties } = known
  if (properties === undefined) return dynamicValue(value)
  const entries = Object.keys(properties).flatMap((key): [string, unknown][] => {
    // Null counts as absent: has() is false.
    const present = Object.hasOwn(value, key) && value[key] !== null
    const name = present ? escapedName(key) : undefined
    if (name === undefined) return []
    return [[name, typedValue(properties[key]!, value[key])]]
  })
  return members(entries)
}

function numberValue(schema: StructuralSchema, value: number): unknown {
  if (schema.type === 'number' || !Number.isInteger(value)) return value
  return BigInt(value)
}

function textValue({ format }: StructuralSchema, value: string): unknown {
  if (format === 'date-time' || format === 'date') {
    const date = new Date(value)
    return Number.isNaN(date.getTime()) ? value : date
  }
  if (format === 'duration') return durationOf(value) ?? value
  if (format === 'byte') return new Uint8Array(Buffer.from(value, 'base64'))
  return value
}

/** A plain object whose keys are data, including `__proto__`. */
function members(entries: [string, unknown][]): unknown {
  return Object.fromEntries(entries)
}

const keywords = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return'.split(
    ' ',
  ),
)
