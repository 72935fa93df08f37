import type { StructuralSchema } from '../schema/structural-schema.ts'

/** A schema of an OpenAPI document: like a CRD's, and it may refer to another one or say what kind it is of. */
export interface OpenApiSchema extends Omit<
  StructuralSchema,
  'properties' | 'items' | 'additionalProperties' | 'allOf' | 'oneOf'
> {
  readonly $ref?: string
  readonly properties?: Readonly<Record<string, OpenApiSchema>>
  readonly items?: OpenApiSchema
  readonly additionalProperties?: boolean | OpenApiSchema
  readonly allOf?: readonly OpenApiSchema[]
  readonly oneOf?: readonly OpenApiSchema[]
  readonly 'x-kubernetes-group-version-kind'?: readonly GroupVersionKind[]
}

export interface GroupVersionKind {
  readonly group: string
  readonly version: string
  readonly kind: string
}

export type Schemas = Readonly<Record<string, OpenApiSchema>>

/** A reference in a property stands in `allOf`, so that there is room for more beside it. */
export function refersTo(component: string): OpenApiSchema {
  return { allOf: [{ $ref: `#/components/schemas/${component}` }] }
}
