import type { Field, StructShape } from './field.ts'
import type { Spec } from './spec-version.ts'
import { specAtLeast } from './spec-version.ts'

/** The fields that a struct has in one version of the spec. */
export interface Fields {
  readonly byName: ReadonlyMap<string, Field>
  /** The field's name for each name as `foldedName` makes it. */
  readonly nameByFolded: ReadonlyMap<string, string>
  /** Strings that are never absent. */
  readonly required: readonly string[]
}

export function fieldsOf(shape: StructShape, spec: Spec): Fields {
  const known = cache.get(shape) ?? new Map<Spec, Fields>()
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

/** Ignition reads keys without regard to case, as Go does: also the long s and the Kelvin sign count as letters. */
export function foldedName(key: string): string {
  return key.replaceAll('\u017f', 's').toLowerCase()
}

const cache = new WeakMap<StructShape, Map<Spec, Fields>>()

function indexed(entries: readonly (readonly [string, Field])[]): Fields {
  return {
    byName: new Map(entries),
    nameByFolded: new Map(entries.map(([name]) => [foldedName(name), name])),
    required: entries.flatMap(([name, field]) => ('required' in field ? [name] : [])),
  }
}
