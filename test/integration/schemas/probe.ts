import type { StructuralSchema } from '@machinist/apiserver/schema/structure/structural-schema'

/** A schema with objects that test one behaviour. recorded.json has the responses of kube-apiserver. */
export interface Probe {
  /** The schema of `spec`, or of the whole object if `root` is set. */
  readonly schema: StructuralSchema
  readonly root?: boolean
  /** The schema with which the old objects were created, if it differs. */
  readonly before?: StructuralSchema
  readonly objects?: readonly ProbeObject[]
}

export interface ProbeObject {
  /** The previous `spec`, for an update. */
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
