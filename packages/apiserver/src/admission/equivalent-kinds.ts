import type { KindRegistry } from '../kinds/kind-registry.ts'
import type { ApiObject } from '../kinds/kind-rules.ts'
import type { ServedKind } from '../kinds/served-kind.ts'
import { prefixOf } from '../verbs/object-key.ts'
import { shownAs } from '../verbs/stored-object.ts'

/** Which kinds show the same stored objects: the versions of a definition, the two groups of events. */
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

/** An object of one kind as an equivalent kind shows it. */
export function converted(object: ApiObject, from: ServedKind, to: ServedKind): ApiObject {
  if (from === to) return object
  const stored = from.rules?.view?.stored(object) ?? object
  const shown = shownAs(to, stored)
  const { resourceVersion } = object.metadata
  return { ...shown, metadata: { ...shown.metadata, ...(resourceVersion && { resourceVersion }) } }
}
