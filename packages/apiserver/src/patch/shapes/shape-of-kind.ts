import type { ServedKind } from '../../kinds/served-kind.ts'
import type { StructuralSchema } from '../../schema/structure/structural-schema.ts'
import { builtInShape, metadataShape } from './built-in-shapes.ts'
import type { DeclaredType, Shape } from './shape.ts'
import { deduced } from './shape.ts'

/** The part of a served kind that patches need. */
export type PatchedKind = Pick<
  ServedKind,
  'group' | 'version' | 'kind' | 'builtIn' | 'schema' | 'subresources'
>

export function shapeOfKind(kind: PatchedKind): Shape {
  if (kind.builtIn) return builtInShape(kind.group, kind.kind)
  if (!kind.schema) return { fields: { metadata: metadataShape }, entries: deduced }
  const known = shapesOfSchemas.get(kind.schema)
  if (known) return known
  const root = shapeOfSchema(kind.schema)
  const text: Shape = { declared: 'string' }
  const fields = { ...root.fields, apiVersion: text, kind: text, metadata: metadataShape }
  const shape: Shape = { ...root, fields, declared: 'map' }
  shapesOfSchemas.set(kind.schema, shape)
  return shape
}

/** Schemas are immutable, and large ones are used on every write. */
const shapesOfSchemas = new WeakMap<StructuralSchema, Shape>()

/** The shape of a custom resource, from its schema. */
export function shapeOfSchema(schema: StructuralSchema): Shape {
  if (schema['x-kubernetes-int-or-string']) return { declared: 'anything' }
  switch (schema.type) {
    case 'array':
      return listShape(schema)
    case 'object':
      return objectShape(schema)
    case undefined:
      return schema['x-kubernetes-preserve-unknown-fields'] ? objectShape(schema) : deduced
    case 'string':
    case 'integer':
    case 'number':
    case 'boolean':
      return { declared: scalarTypes[schema.type] }
  }
}

const scalarTypes = {
  string: 'string',
  integer: 'numeric',
  number: 'numeric',
  boolean: 'boolean',
} as const satisfies Record<string, DeclaredType>

function objectShape(schema: StructuralSchema): Shape {
  const fields: Record<string, Shape> = Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([name, field]) => [name, shapeOfSchema(field)]),
  )
  if (schema['x-kubernetes-embedded-resource']) fields['metadata'] = metadataShape
  const atomic = schema['x-kubernetes-map-type'] === 'atomic' ? { atomic: true } : {}
  const entries = entriesOf(schema)
  if (!entries) return { fields, ...atomic, declared: 'map' }
  return { fields, ...atomic, entries, declared: entries === deduced ? 'anything' : 'map' }
}

function entriesOf(schema: StructuralSchema): Shape | undefined {
  const { additionalProperties } = schema
  if (typeof additionalProperties === 'object') return shapeOfSchema(additionalProperties)
  const open = additionalProperties === true || schema['x-kubernetes-preserve-unknown-fields']
  return open ? deduced : undefined
}

function listShape(schema: StructuralSchema): Shape {
  const items = schema.items ? shapeOfSchema(schema.items) : deduced
  switch (schema['x-kubernetes-list-type']) {
    case 'set':
      return { list: 'set', items, declared: 'list' }
    case 'map':
      return { ...mapListShape(schema), items, declared: 'list' }
    case 'atomic':
    case undefined:
      return { items, declared: 'list' }
  }
}

function mapListShape(schema: StructuralSchema): Shape {
  const keys = schema['x-kubernetes-list-map-keys'] ?? []
  const keyDefaults = Object.fromEntries(
    keys.flatMap((key) => {
      const value = schema.items?.properties?.[key]?.default
      return value === undefined ? [] : [[key, value]]
    }),
  )
  return { list: 'map', keys, keyDefaults }
}
