/** A binary heap ordered by `isBefore`. Call `moved` after the order of an item has changed. */
export class Heap<T extends object> {
  readonly #items: T[] = []
  readonly #places = new Map<T, number>()
  readonly #isBefore: (a: T, b: T) => boolean

  constructor(isBefore: (a: T, b: T) => boolean) {
    this.#isBefore = isBefore
  }

  get size(): number {
    return this.#items.length
  }

  get first(): T | undefined {
    return this.#items[0]
  }

  has(item: T): boolean {
    return this.#places.has(item)
  }

  push(item: T): void {
    this.#put(item, this.#items.length)
    this.moved(item)
  }

  pop(): T | undefined {
    const first = this.#items[0]
    if (first) this.remove(first)
    return first
  }

  /** The first items, in order. The cost of each is that of a `pop` and a `push`. */
  few(limit: number): T[] {
    const found: T[] = []
    while (found.length < limit) {
      const next = this.pop()
      if (!next) break
      found.push(next)
    }
    for (const item of found) this.push(item)
    return found
  }

  remove(item: T): void {
    const place = this.#places.get(item)
    if (place === undefined) return
    this.#places.delete(item)
    const last = this.#items.pop()!
    if (last === item) return
    this.#put(last, place)
    this.moved(last)
  }

  /** Restores the order after the position of an item has changed. */
  moved(item: T): void {
    const place = this.#places.get(item)
    if (place !== undefined) this.#sink(item, this.#rise(item, place))
  }

  clear(): void {
    this.#items.length = 0
    this.#places.clear()
  }

  #rise(item: T, from: number): number {
    let place = from
    while (place > 0) {
      const above = (place - 1) >> 1
      const other = this.#items[above]!
      if (!this.#isBefore(item, other)) break
      this.#put(other, place)
      place = above
    }
    this.#put(item, place)
    return place
  }

  #sink(item: T, from: number): void {
    let place = from
    for (;;) {
      const below = this.#smallerBelow(place)
      if (below === undefined || !this.#isBefore(this.#items[below]!, item)) break
      this.#put(this.#items[below]!, place)
      place = below
    }
    this.#put(item, place)
  }

  #smallerBelow(place: number): number | undefined {
    const left = 2 * place + 1
    const right = left + 1
    if (left >= this.#items.length) return undefined
    if (right >= this.#items.length) return left
    return this.#isBefore(this.#items[right]!, this.#items[left]!) ? right : left
  }

  #put(item: T, place: number): void {
    this.#items[place] = item
    this.#places.set(item, place)
  }
}
