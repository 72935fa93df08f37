/**
 * A builder for structural schemas. One description gives both the TypeScript type (`TypeOf`) and the OpenAPI schema of the
 * CustomResourceDefinition, so the two cannot differ.
 */
export interface Schema<T = unknown> {
  readonly openapi: OpenApiSchema
  /** Type only; never set. */
  readonly type?: T
}

/** The TypeScript type that a schema describes. */
export type TypeOf<S> = S extends { readonly type?: infer T } ? T : never

/** The subset of OpenAPI v3 structural schemas that Machinist uses. */
export interface OpenApiSchema {
  description?: string
  type?: 'string' | 'integer' | 'boolean' | 'array' | 'object'
  format?: 'int32' | 'int64' | 'date-time' | 'byte'
  nullable?: boolean
  default?: string
  enum?: readonly string[]
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  minProperties?: number
  anyOf?: OpenApiSchema[]
  items?: OpenApiSchema
  properties?: Record<string, OpenApiSchema>
  additionalProperties?: OpenApiSchema
  required?: readonly string[]
  'x-kubernetes-int-or-string'?: boolean
  'x-kubernetes-embedded-resource'?: boolean
  'x-kubernetes-preserve-unknown-fields'?: boolean
  'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map'
  'x-kubernetes-list-map-keys'?: readonly string[]
  'x-kubernetes-map-type'?: 'atomic'
  'x-kubernetes-validations'?: readonly Rule[]
}

/** A validation rule in CEL, evaluated by the API server. */
export interface Rule {
  readonly rule: string
  readonly message: string
  readonly optionalOldSelf?: boolean
}

export interface Checked {
  readonly rules?: readonly Rule[]
}

export interface StringLimits extends Checked {
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
}

export interface IntegerLimits extends Checked {
  readonly format?: 'int32' | 'int64'
  readonly minimum?: number
  readonly maximum?: number
}

export interface ArrayLimits extends Checked {
  readonly minItems?: number
  readonly maxItems?: number
  /** The fields that identify an item (list type `map`). Without keys the list is atomic. */
  readonly keys?: readonly string[]
  /** Every value occurs at most once (list type `set`). */
  readonly set?: boolean
}

export interface ObjectLimits<Required extends string> extends Checked {
  readonly required?: readonly Required[]
  readonly minProperties?: number
  /** Server-side apply replaces the object as a whole. */
  readonly atomic?: boolean
}

type Fields = Record<string, Schema>

/** Fields are optional unless they are listed as required. */
export type ObjectOf<F extends Fields, Required extends keyof F> = Flat<
  { [K in Required]: TypeOf<F[K]> } & { [K in Exclude<keyof F, Required>]?: TypeOf<F[K]> }
>

/** Flattens an intersection, for readable types in editors. */
type Flat<T> = { [K in keyof T]: T[K] }

export function string(description: string, limits: StringLimits = {}): Schema<string> {
  return schema(description, { type: 'string' }, limits)
}

export function oneOf<const V extends string>(
  description: string,
  values: readonly V[],
  options: { readonly default?: NoInfer<V>; readonly maxLength?: number } = {},
): Schema<V> {
  return schema(description, { type: 'string', enum: values, ...options })
}

export function integer(description: string, limits: IntegerLimits = {}): Schema<number> {
  return schema(description, { type: 'integer', format: 'int32' }, limits)
}

export function boolean(description: string): Schema<boolean> {
  return schema(description, { type: 'boolean' })
}

/** A time in RFC 3339. */
export function timestamp(description: string, checked: Checked = {}): Schema<string> {
  return schema(description, { type: 'string', format: 'date-time' }, checked)
}

/** Bytes in base64. */
export function bytes(
  description: string,
  limits: Pick<StringLimits, 'maxLength' | 'rules'> = {},
): Schema<string> {
  return schema(description, { type: 'string', format: 'byte' }, limits)
}

export function intOrString(
  description: string,
  { rules, ...limits }: Checked & { readonly pattern?: string } = {},
): Schema<number | string> {
  const shape: OpenApiSchema = {
    anyOf: [{ type: 'integer' }, { type: 'string' }],
    ...limits,
    'x-kubernetes-int-or-string': true,
  }
  return schema(description, shape, { ...(rules && { rules }) })
}

export function array<T>(
  description: string,
  items: Schema<T>,
  { keys, set, ...limits }: ArrayLimits = {},
): Schema<T[]> {
  const listType = keys ? 'map' : set ? 'set' : 'atomic'
  return schema(
    description,
    {
      type: 'array',
      items: items.openapi,
      'x-kubernetes-list-type': listType,
      ...(keys && { 'x-kubernetes-list-map-keys': keys }),
    },
    limits,
  )
}

export function map<T>(description: string, values: Schema<T>): Schema<Record<string, T>> {
  return schema(description, { type: 'object', additionalProperties: values.openapi })
}

export function object<F extends Fields, const Required extends keyof F & string = never>(
  description: string,
  fields: F,
  { atomic, ...limits }: ObjectLimits<Required> = {},
): Schema<ObjectOf<F, Required>> {
  const properties = Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, field.openapi]),
  )
  return schema(
    description,
    { type: 'object', properties, ...(atomic && { 'x-kubernetes-map-type': 'atomic' }) },
    limits,
  )
}

/** An object with unknown fields, which the API server preserves. */
export function anything<T extends object = Record<string, unknown>>(
  description: string,
): Schema<T> {
  return schema(description, { type: 'object', 'x-kubernetes-preserve-unknown-fields': true })
}

/** An embedded Kubernetes object: unknown fields are preserved; apiVersion and kind are required. */
export function embedded<T extends object>(description: string): Schema<T> {
  return schema(description, {
    type: 'object',
    'x-kubernetes-embedded-resource': true,
    'x-kubernetes-preserve-unknown-fields': true,
  })
}

export function nullable<T>(of: Schema<T>): Schema<T | null> {
  return { openapi: { ...of.openapi, nullable: true } }
}

/** Narrows the TypeScript type where the schema is less strict. */
export function knownAs<T>(of: Schema): Schema<T> {
  return { openapi: of.openapi }
}

export function rule(
  expression: string,
  message: string,
  options: { readonly optionalOldSelf?: true } = {},
): Rule {
  return { rule: expression, message, ...options }
}

function schema<T>(
  description: string,
  shape: OpenApiSchema,
  { rules, ...limits }: Checked & Partial<OpenApiSchema> = {},
): Schema<T> {
  const checks = rules && rules.length > 0 ? { 'x-kubernetes-validations': rules } : {}
  return { openapi: { description, ...shape, ...limits, ...checks } }
}
