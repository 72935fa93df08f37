import type { ServedKind } from './served-kind.ts'

/** The kinds that are served now; CRDs add and remove theirs while the server runs. */
export class KindRegistry {
  readonly #byPlace = new Map<string, ServedKind>()
  readonly #heard = new Set<() => void>()
  #changes = 0

  constructor(builtIn: readonly ServedKind[] = []) {
    for (const kind of builtIn) this.#byPlace.set(placeOf(kind), kind)
  }

  /** Grows with every change: what is derived from the kinds can be kept until it does. */
  get changes(): number {
    return this.#changes
  }

  get all(): ServedKind[] {
    return [...this.#byPlace.values()]
  }

  find(group: string, version: string, plural: string): ServedKind | undefined {
    return this.#byPlace.get(placeOf({ group, version, plural }))
  }

  /** Any version of a resource: for what concerns the stored objects only. */
  findResource(group: string, plural: string): ServedKind | undefined {
    return this.all.find((kind) => kind.group === group && kind.plural === plural)
  }

  findKind(group: string, version: string, kind: string): ServedKind | undefined {
    return this.all.find(
      (served) => served.group === group && served.version === version && served.kind === kind,
    )
  }

  /** The versions of a resource that a CRD defines; those it no longer has go away. */
  replace(group: string, plural: string, kinds: readonly ServedKind[]): void {
    for (const [place, kind] of this.#byPlace) {
      if (kind.group === group && kind.plural === plural) this.#byPlace.delete(place)
    }
    for (const kind of kinds) this.#byPlace.set(placeOf(kind), kind)
    this.#changes++
    for (const hear of this.#heard) hear()
  }

  onChange(hear: () => void): () => void {
    this.#heard.add(hear)
    return () => void this.#heard.delete(hear)
  }
}

type Place = Pick<ServedKind, 'group' | 'version' | 'plural'>

const placeOf = ({ group, version, plural }: Place): string => `${group}/${version}/${plural}`
