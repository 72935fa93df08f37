import { isObject } from '@machinist/core/encoding/json'
import type { StructuralSchema } from './structural-schema.ts'

export interface Member {
  readonly schema: StructuralSchema
  /** Declared by name, not an additional property. */
  readonly named: boolean
}

/** The schema of an object's member; undefined if there is none. */
export function memberOf(schema: StructuralSchema, key: string): Member | undefined {
  const { properties, additionalProperties } = schema
  if (properties && Object.hasOwn(properties, key)) return { schema: properties[key]!, named: true }
  return isObject(additionalProperties) ? { schema: additionalProperties, named: false } : undefined
}

/** A member's path, with map keys in brackets: used by all messages except OpenAPI ones. */
export function memberPath(path: string, key: string, named: boolean): string {
  if (path === '') return key
  return named ? `${path}.${key}` : `${path}[${key}]`
}
