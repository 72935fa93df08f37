import type { KubeObject, ObjectKey } from '@machinist/core/objects/resource'
import { keyOf, keyText } from '@machinist/core/objects/resource'

/** The values of an object in an index. */
export type IndexFunction<T extends KubeObject> = (object: Readonly<T>) => readonly string[]
export type Indexes<T extends KubeObject> = Readonly<Record<string, IndexFunction<T>>>

interface Entry<T extends KubeObject> {
  object: Readonly<T>
  /** The values of the object in each index, so that removal does not have to compute them again. */
  indexValues: readonly (readonly string[])[]
}

/** Objects by key and by index. The cost of a change does not depend on the number of objects. */
export class Store<T extends KubeObject> {
  readonly #entries = new Map<string, Entry<T>>()
  readonly #indexes: readonly IndexFunction<T>[]
  readonly #buckets: readonly Map<string, Set<Entry<T>>>[]
  readonly #position: ReadonlyMap<string, number>

  constructor(indexes: Indexes<T> = {}) {
    this.#indexes = Object.values(indexes)
    this.#buckets = this.#indexes.map(() => new Map())
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
      throw new TypeError(`index ${name} does not exist; known indexes: ${known}`)
    }
    return Array.from(this.#buckets[position]!.get(value) ?? [], (entry) => entry.object)
  }

  /** Returns the previous object. */
  put(object: Readonly<T>): Readonly<T> | undefined {
    const key = keyText(keyOf(object))
    const entry = this.#entries.get(key)
    const indexValues = this.#indexes.map((index) => index(object))
    if (!entry) {
      const created = { object, indexValues }
      this.#entries.set(key, created)
      this.#addToIndexes(created)
      return undefined
    }
    const before = entry.object
    this.#removeFromIndexes(entry)
    entry.object = object
    entry.indexValues = indexValues
    this.#addToIndexes(entry)
    return before
  }

  /** Returns the removed object. */
  remove(key: ObjectKey | string): Readonly<T> | undefined {
    const text = typeof key === 'string' ? key : keyText(key)
    const entry = this.#entries.get(text)
    if (!entry) return undefined
    this.#entries.delete(text)
    this.#removeFromIndexes(entry)
    return entry.object
  }

  #addToIndexes(entry: Entry<T>): void {
    for (const [i, values] of entry.indexValues.entries()) {
      const buckets = this.#buckets[i]!
      for (const value of values) {
        const bucket = buckets.get(value)
        if (bucket) bucket.add(entry)
        else buckets.set(value, new Set([entry]))
      }
    }
  }

  #removeFromIndexes(entry: Entry<T>): void {
    for (const [i, values] of entry.indexValues.entries()) {
      const buckets = this.#buckets[i]!
      for (const value of values) {
        const bucket = buckets.get(value)
        bucket?.delete(entry)
        // Indexes over changing values (pod names, digests) must not grow without limit.
        if (bucket?.size === 0) buckets.delete(value)
      }
    }
  }
}
