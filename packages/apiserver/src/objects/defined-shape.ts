import type { ApiObject } from '../kinds/kind-rules.ts'
import type { ServedKind } from '../kinds/served-kind.ts'
import type { CompiledSchema } from '../schema/compiled-schema.ts'
import { compileSchema, InvalidSchema } from '../schema/compiled-schema.ts'
import type { StructuralSchema } from '../schema/structure/structural-schema.ts'

/**
 * A stored custom resource, pruned and defaulted by the current schema of its storage version, then pruned by this
 * version. The result can share parts with the input.
 */
export function asDefined(kind: ServedKind, object: ApiObject): ApiObject {
  if (kind.builtIn) return object
  const stored = kind.storage?.schemas[object.apiVersion ?? ''] ?? kind.schema
  const compiled = compileIfValid(stored)
  const complete = compiled ? compiled.default(compiled.prune(object).object) : object
  const served = stored === kind.schema ? undefined : compileIfValid(kind.schema)
  return (served?.prune(complete).object ?? complete) as ApiObject
}

/** A custom resource as stored: in the storage version, pruned. */
export function asStored(kind: ServedKind, object: ApiObject): ApiObject {
  const { storage } = kind
  if (!storage || storage.apiVersion === object.apiVersion) return object
  const compiled = compileIfValid(storage.schemas[storage.apiVersion])
  const pruned = compiled ? (compiled.prune(object).object as ApiObject) : object
  return { ...pruned, apiVersion: storage.apiVersion }
}

/** An older server may have accepted a schema that is invalid now; stored objects must remain readable. */
function compileIfValid(schema: StructuralSchema | undefined): CompiledSchema | undefined {
  if (!schema || invalidSchemas.has(schema)) return undefined
  try {
    return compileSchema(schema)
  } catch (error) {
    if (!(error instanceof InvalidSchema)) throw error
    invalidSchemas.add(schema)
    return undefined
  }
}

const invalidSchemas = new WeakSet<StructuralSchema>()
