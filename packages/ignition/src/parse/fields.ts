import type { Field, StructShape } from '../spec/field.ts'
import type { Spec } from '../spec/version.ts'
import { specAtLeast } from '../spec/version.ts'

/** The fields that a struct has in one version of the spec. */
export interface SpecFields {
  readonly byName: ReadonlyMap<string, Field>
  /** The field names by their `foldedName`. */
  readonly nameByFolded: ReadonlyMap<string, string>
  /** Fields that are never absent. */
  readonly required: readonly string[]
}

export function fieldsOf(shape: StructShape, spec: Spec): SpecFields {
  const known = cache.get(shape) ?? new Map<Spec, SpecFields>()
  cache.set(shape, known)
  let fields = known.get(spec)
  if (!fields) {
    fields = indexed(
      Object.entries(shape).filter(([, { since }]) => !since || specAtLeast(spec, since)),
    )
    known.set(spec, fields)
  }
  return fields
}

/** Ignition ignores the case of keys with the rules of Go, which include the long s and the Kelvin sign. */
export function foldedName(key: string): string {
  return key.replaceAll('\u017f', 's').toLowerCase()
}

const cache = new WeakMap<StructShape, Map<Spec, SpecFields>>()

function indexed(entries: readonly (readonly [string, Field])[]): SpecFields {
  return {
    byName: new Map(entries),
    nameByFolded: new Map(entries.map(([name]) => [foldedName(name), name])),
    required: entries.flatMap(([name, field]) => ('required' in field ? [name] : [])),
  }
}
