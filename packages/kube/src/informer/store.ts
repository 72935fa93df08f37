import type { KubeObject, ObjectKey } from '@machinist/core/resource'
import { keyOf, keyText } from '@machinist/core/resource'

/** The values under which an object is to be found in an index. */
export type IndexFunction<T extends KubeObject> = (object: Readonly<T>) => readonly string[]
export type Indexes<T extends KubeObject> = Readonly<Record<string, IndexFunction<T>>>

interface Entry<T extends KubeObject> {
  object: Readonly<T>
  /** What each index said about this object, so that leaving an index never depends on computing it again. */
  filed: readonly (readonly string[])[]
}

/** Objects by key, and by whatever the indexes say. Every change costs the same however many objects there are. */
export class Store<T extends KubeObject> {
  readonly #entries = new Map<string, Entry<T>>()
  readonly #indexes: readonly IndexFunction<T>[]
  readonly #drawers: readonly Map<string, Set<Entry<T>>>[]
  readonly #position: ReadonlyMap<string, number>

  constructor(indexes: Indexes<T> = {}) {
    this.#indexes = Object.values(indexes)
    this.#drawers = this.#indexes.map(() => new Map())
    this.#position = new Map(Object.keys(indexes).map((name, i) => [name, i]))
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: ObjectKey | string): Readonly<T> | undefined {
    return this.#entries.get(typeof key === 'string' ? key : keyText(key))?.object
  }

  list(): Readonly<T>[] {
    return Array.from(this.#entries.values(), (entry) => entry.object)
  }

  byIndex(name: string, value: string): Readonly<T>[] {
    const position = this.#position.get(name)
    if (position === undefined) {
      const known = [...this.#position.keys()].join(', ') || 'none'
      throw new TypeError(`there is no index ${name}; known: ${known}`)
    }
    return Array.from(this.#drawers[position]!.get(value) ?? [], (entry) => entry.object)
  }

  /** Answers what was there before. */
  put(object: Readonly<T>): Readonly<T> | undefined {
    const key = keyText(keyOf(object))
    const entry = this.#entries.get(key)
    const filed = this.#indexes.map((index) => index(object))
    if (!entry) {
      const made = { object, filed }
      this.#entries.set(key, made)
      this.#file(made)
      return undefined
    }
    const before = entry.object
    this.#unfile(entry)
    entry.object = object
    entry.filed = filed
    this.#file(entry)
    return before
  }

  /** Answers what was removed. */
  remove(key: ObjectKey | string): Readonly<T> | undefined {
    const text = typeof key === 'string' ? key : keyText(key)
    const entry = this.#entries.get(text)
    if (!entry) return undefined
    this.#entries.delete(text)
    this.#unfile(entry)
    return entry.object
  }

  #file(entry: Entry<T>): void {
    for (const [i, values] of entry.filed.entries()) {
      const drawer = this.#drawers[i]!
      for (const value of values) {
        const there = drawer.get(value)
        if (there) there.add(entry)
        else drawer.set(value, new Set([entry]))
      }
    }
  }

  #unfile(entry: Entry<T>): void {
    for (const [i, values] of entry.filed.entries()) {
      const drawer = this.#drawers[i]!
      for (const value of values) {
        const there = drawer.get(value)
        there?.delete(entry)
        // An index over values that come and go (pod names, digests) must not grow for ever.
        if (there?.size === 0) drawer.delete(value)
      }
    }
  }
}
