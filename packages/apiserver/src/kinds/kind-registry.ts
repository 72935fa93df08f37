import type { ServedKind } from './served-kind.ts'

/** The served kinds; CRDs add and remove theirs while the server runs. */
export class KindRegistry {
  readonly #byPlace = new Map<string, ServedKind>()
  readonly #listeners = new Set<() => void>()
  #changes = 0

  constructor(builtIn: readonly ServedKind[] = []) {
    for (const kind of builtIn) this.#byPlace.set(placeOf(kind), kind)
  }

  /** Increases with every change, so that derived data can be cached. */
  get changes(): number {
    return this.#changes
  }

  get all(): ServedKind[] {
    return [...this.#byPlace.values()]
  }

  find(group: string, version: string, plural: string): ServedKind | undefined {
    return this.#byPlace.get(placeOf({ group, version, plural }))
  }

  /** Any version of a resource, for code that handles stored objects. */
  findResource(group: string, plural: string): ServedKind | undefined {
    return this.all.find((kind) => kind.group === group && kind.plural === plural)
  }

  findKind(group: string, version: string, kind: string): ServedKind | undefined {
    return this.all.find(
      (served) => served.group === group && served.version === version && served.kind === kind,
    )
  }

  /** Replaces the served versions of a resource that a CRD defines. */
  replace(group: string, plural: string, kinds: readonly ServedKind[]): void {
    for (const [place, kind] of this.#byPlace) {
      if (kind.group === group && kind.plural === plural) this.#byPlace.delete(place)
    }
    for (const kind of kinds) this.#byPlace.set(placeOf(kind), kind)
    this.#changes++
    for (const listener of this.#listeners) listener()
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}

type Place = Pick<ServedKind, 'group' | 'version' | 'plural'>

const placeOf = ({ group, version, plural }: Place): string => `${group}/${version}/${plural}`
