/** A map that forgets what was not used for longest once it is full: memory for the recent past, at a fixed price. */
export class RecentMap<V> {
  readonly #entries = new Map<string, V>()
  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  get size(): number {
    return this.#entries.size
  }

  /** What is there under this key, made if need be; now it is the most recent. */
  use(key: string, make: () => V): V {
    const value = this.#entries.get(key) ?? make()
    this.#entries.delete(key)
    this.#entries.set(key, value)
    if (this.#entries.size > this.#limit) {
      const [oldest] = this.#entries.keys()
      this.#entries.delete(oldest!)
    }
    return value
  }
}
