/** A map with a size limit that evicts the least recently used entry. */
export class LruMap<V> {
  readonly #entries = new Map<string, V>()
  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  get size(): number {
    return this.#entries.size
  }

  /** Returns the value of a key, creates it if absent, and marks it as most recently used. */
  getOrCreate(key: string, create: () => V): V {
    const value = this.#entries.get(key) ?? create()
    this.#entries.delete(key)
    this.#entries.set(key, value)
    if (this.#entries.size > this.#limit) {
      const [oldest] = this.#entries.keys()
      this.#entries.delete(oldest!)
    }
    return value
  }
}
