import type { StructuralSchema } from '../schema/structure/structural-schema.ts'

/** A schema of an OpenAPI document: a CRD schema with references and group version kinds. */
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

/** A reference in `allOf`, so that other keywords can stand beside it. */
export function refersTo(component: string): OpenApiSchema {
  return { allOf: [{ $ref: `#/components/schemas/${component}` }] }
}
