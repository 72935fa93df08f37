import type { KindRegistry } from '../kinds/kind-registry.ts'
import type { ApiObject } from '../kinds/kind-rules.ts'
import type { ServedKind } from '../kinds/served-kind.ts'
import { prefixOf } from '../objects/object-key.ts'
import { toServedVersion } from '../objects/stored-object.ts'

/** Kinds that serve the same stored objects: versions of a CRD, and both groups of Event. */
export class EquivalentKinds {
  readonly #kinds: KindRegistry
  readonly #byPlace = new Map<string, ServedKind[]>()
  #madeAt = -1

  constructor(kinds: KindRegistry) {
    this.#kinds = kinds
  }

  of(kind: ServedKind): readonly ServedKind[] {
    if (this.#madeAt !== this.#kinds.changes) this.#make()
    const all = this.#byPlace.get(prefixOf(kind)) ?? []
    return all.length < 2 ? [] : all.filter((each) => each !== kind)
  }

  #make(): void {
    this.#byPlace.clear()
    for (const kind of this.#kinds.all) {
      const place = prefixOf(kind)
      const known = this.#byPlace.get(place)
      if (known) known.push(kind)
      else this.#byPlace.set(place, [kind])
    }
    this.#madeAt = this.#kinds.changes
  }
}

/** Converts an object to an equivalent kind. */
export function converted(object: ApiObject, from: ServedKind, to: ServedKind): ApiObject {
  if (from === to) return object
  const stored = from.rules?.view?.fromView(object) ?? object
  const result = toServedVersion(to, stored)
  const { resourceVersion } = object.metadata
  return {
    ...result,
    metadata: { ...result.metadata, ...(resourceVersion && { resourceVersion }) },
  }
}
