import type { ApiObject } from '../kinds/kind-rules.ts'
import { scaleProblems } from '../kinds/scale-problems.ts'
import type { ScalePaths, ServedKind } from '../kinds/served-kind.ts'
import { builtInStructuralSchema } from '../openapi/built-in-structural-schema.ts'
import { compileSchema } from '../schema/compiled-schema.ts'
import { prune } from '../schema/prune.ts'
import type { StructuralSchema } from '../schema/structure/structural-schema.ts'
import { embeddedMetadataProblems } from '../objects/embedded-resources.ts'
import { apiVersionOf } from '../objects/stored-object.ts'
import type { ObjectSchema, ObjectSchemas } from './verb-context.ts'

/** The schemas of all kinds, compiled on first use. */
export class CompiledSchemas implements ObjectSchemas {
  readonly #known = new WeakMap<ServedKind, ObjectSchema>()

  of(kind: ServedKind): ObjectSchema | undefined {
    const known = this.#known.get(kind)
    if (known) return known
    const made = kind.builtIn ? builtIn(kind) : kind.schema && compiled(kind.schema, kind.scale)
    if (made) this.#known.set(kind, made)
    return made
  }
}

function compiled(schema: StructuralSchema, scale: ScalePaths | undefined): ObjectSchema {
  const made = compileSchema(schema)
  return {
    prune: (object) => {
      const pruned = made.prune(object)
      return { object: pruned.object as ApiObject, unknown: pruned.unknown }
    },
    complete: (object) => made.default(object) as ApiObject,
    validate: (object, before, subresource) => {
      const also = [
        ...embeddedMetadataProblems(schema, object),
        ...(scale ? scaleProblems(scale, object) : []),
      ]
      return made.validate(object, before, {
        also,
        ...(subresource === 'status' && { subresource }),
      })
    },
  }
}

/** Built-in kinds have only field schemas; their rules validate the rest. */
function builtIn(kind: ServedKind): ObjectSchema | undefined {
  const schema = builtInStructuralSchema(apiVersionOf(kind), kind.kind)
  if (!schema) return undefined
  return {
    prune: (object) => {
      const pruned = prune(schema, object)
      return { object: pruned.object as ApiObject, unknown: pruned.unknown }
    },
    complete: (object) => object,
    validate: () => [],
  }
}
