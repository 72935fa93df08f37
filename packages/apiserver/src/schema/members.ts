import { isObject } from '@machinist/core/json'
import type { StructuralSchema } from './structural-schema.ts'

export interface Member {
  readonly schema: StructuralSchema
  /** Declared by name, not one of the others of a map. */
  readonly named: boolean
}

/** The schema of an object's member; undefined where there is none. */
export function memberOf(schema: StructuralSchema, key: string): Member | undefined {
  const { properties, additionalProperties } = schema
  if (properties && Object.hasOwn(properties, key)) return { schema: properties[key]!, named: true }
  return isObject(additionalProperties) ? { schema: additionalProperties, named: false } : undefined
}

/** A member's path where members of maps stand in brackets: all but the OpenAPI messages have it so. */
export function memberPath(path: string, key: string, named: boolean): string {
  if (path === '') return key
  return named ? `${path}.${key}` : `${path}[${key}]`
}
