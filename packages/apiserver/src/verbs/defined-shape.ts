import type { ApiObject } from '../kinds/kind-rules.ts'
import type { ServedKind } from '../kinds/served-kind.ts'
import type { CompiledSchema } from '../schema/compiled-schema.ts'
import { compileSchema, SchemaRefused } from '../schema/compiled-schema.ts'
import type { StructuralSchema } from '../schema/structural-schema.ts'

/**
 * A stored custom resource as its definition has it now: by the schema of the version in which it is stored without what
 * is no longer known and with the defaults that came later, and of that what this version knows. It may share parts
 * with the object it was made from.
 */
export function asDefined(kind: ServedKind, object: ApiObject): ApiObject {
  if (kind.builtIn) return object
  const stored = kind.storage?.schemas[object.apiVersion ?? ''] ?? kind.schema
  const compiled = compiledIfGood(stored)
  const complete = compiled ? compiled.default(compiled.prune(object).object) : object
  const shown = stored === kind.schema ? undefined : compiledIfGood(kind.schema)
  return (shown?.prune(complete).object ?? complete) as ApiObject
}

/** A custom resource as it goes into the store: in the version for that, and with nothing that is not known there. */
export function asStored(kind: ServedKind, object: ApiObject): ApiObject {
  const { storage } = kind
  if (!storage || storage.apiVersion === object.apiVersion) return object
  const compiled = compiledIfGood(storage.schemas[storage.apiVersion])
  const pruned = compiled ? (compiled.prune(object).object as ApiObject) : object
  return { ...pruned, apiVersion: storage.apiVersion }
}

/** A schema that would be refused today may be an older server's: what is stored can still be read. */
function compiledIfGood(schema: StructuralSchema | undefined): CompiledSchema | undefined {
  if (!schema || refused.has(schema)) return undefined
  try {
    return compileSchema(schema)
  } catch (error) {
    if (!(error instanceof SchemaRefused)) throw error
    refused.add(schema)
    return undefined
  }
}

const refused = new WeakSet<StructuralSchema>()
