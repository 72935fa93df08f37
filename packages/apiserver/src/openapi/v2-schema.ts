import type { GroupVersionKind, OpenApiSchema } from './schema.ts'

/** A Swagger 2.0 schema, as far as clients read it. Without a type it allows everything. */
export interface V2Schema {
  readonly $ref?: string
  readonly description?: string
  readonly type?: string
  readonly format?: string
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, V2Schema>>
  readonly additionalProperties?: V2Schema
  readonly items?: V2Schema
  readonly 'x-kubernetes-group-version-kind'?: readonly GroupVersionKind[]
}

/**
 * Converts a schema to Swagger 2.0. Unsupported features (null, union types, unknown fields) allow everything, so
 * that clients do not reject valid objects.
 */
export function v2Schema(schema: OpenApiSchema): V2Schema {
  const reference = schema.$ref ?? schema.allOf?.find(({ $ref }) => $ref !== undefined)?.$ref
  if (reference !== undefined) {
    return { $ref: reference.replace('#/components/schemas/', '#/definitions/') }
  }
  const { description } = schema
  const kinds = schema['x-kubernetes-group-version-kind']
  const described: V2Schema = {
    ...(description !== undefined && { description }),
    ...(kinds && { 'x-kubernetes-group-version-kind': kinds }),
  }
  return isAnything(schema) ? described : { ...described, ...typed(schema) }
}

function typed({ type, format, items, required, ...schema }: OpenApiSchema): V2Schema {
  if (type === 'array') return { type, items: v2Schema(items ?? {}) }
  if (type !== 'object') return { ...(type && { type }), ...(format !== undefined && { format }) }
  const { properties, additionalProperties: values } = schema
  if (!properties) {
    return { type, ...(typeof values === 'object' && { additionalProperties: v2Schema(values) }) }
  }
  const fields = Object.entries(properties).map(([name, each]) => [name, v2Schema(each)] as const)
  return {
    type,
    ...(required && required.length > 0 && { required }),
    properties: Object.fromEntries(fields),
  }
}

const isAnything = (schema: OpenApiSchema): boolean =>
  schema.nullable === true ||
  schema['x-kubernetes-int-or-string'] === true ||
  schema['x-kubernetes-preserve-unknown-fields'] === true ||
  schema['x-kubernetes-embedded-resource'] === true
