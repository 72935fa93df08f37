import type { StructuralSchema } from '@machinist/apiserver/schema/structural-schema'

/** A schema with objects that show one behaviour. What kube-apiserver says to each is in recorded.json. */
export interface Probe {
  /** The schema of `spec`, or of the whole object where `root` says so. */
  readonly schema: StructuralSchema
  readonly root?: boolean
  /** The schema that held when the old objects were written, where it was another one. */
  readonly before?: StructuralSchema
  readonly objects?: readonly ProbeObject[]
}

export interface ProbeObject {
  /** What `spec` was before; an update then, not a creation. */
  readonly old?: unknown
  readonly spec: unknown
}

export const text = { type: 'string', maxLength: 40 } as const
export const whole = { type: 'integer' } as const
export const object = (properties: Record<string, StructuralSchema>): StructuralSchema => ({
  type: 'object',
  properties,
})
export const listOf = (items: StructuralSchema): StructuralSchema => ({ type: 'array', items })
export const ruled = (schema: StructuralSchema, ...rules: string[]): StructuralSchema => ({
  ...schema,
  'x-kubernetes-validations': rules.map((rule) => ({ rule })),
})
export const specs = (...values: unknown[]): ProbeObject[] => values.map((spec) => ({ spec }))
export const open: StructuralSchema = {
  type: 'object',
  'x-kubernetes-preserve-unknown-fields': true,
}
