import type { Store, StoreChange } from '../store/store.ts'
import { CachedChange, sizeOf } from './cached-change.ts'
import type { Scope } from './scope.ts'
import { isWithin } from './scope.ts'

export interface WindowLimits {
  readonly changes: number
  /** Of stored objects; derived data takes a multiple of that. */
  readonly characters: number
}

export interface WindowSizes extends WindowLimits {
  /** The oldest revision at which watches can start. */
  readonly start: number
}

/** A window of the stored history, so that clients can resume their watches after a restart. */
export function recentChanges(store: Store, limits: WindowLimits): ChangeWindow {
  const oldest = Math.max(store.oldest, store.revision - limits.changes)
  const portions: StoreChange[][] = []
  let characters = 0
  let start = store.revision
  // Backwards in small portions: there can be far more changes than fit.
  while (start > oldest && characters <= limits.characters) {
    const from = Math.max(start - portion, oldest)
    const changes = store.changesSince(from, start - from)
    portions.push(changes)
    for (const change of changes) characters += sizeOf(change)
    start = from
  }
  const window = new ChangeWindow(start, limits)
  for (const change of portions.reverse().flat()) window.add(change)
  return window
}

const portion = 20

/** The newest changes, for watches that start at a recent revision. */
export class ChangeWindow {
  readonly #limits: WindowLimits
  #changes: CachedChange[] = []
  /** Number of dropped entries at the beginning of the array. */
  #dropped = 0
  #characters = 0
  #start: number

  constructor(start: number, limits: WindowLimits) {
    this.#start = start
    this.#limits = limits
  }

  /** The oldest revision after which all changes are in the window. */
  get start(): number {
    return this.#start
  }

  get sizes(): WindowSizes {
    const changes = this.#changes.length - this.#dropped
    return { start: this.#start, changes, characters: this.#characters }
  }

  add(change: StoreChange): CachedChange {
    const cached = new CachedChange(change)
    this.#changes.push(cached)
    this.#characters += cached.size
    while (this.#isTooLarge()) this.#dropOldest()
    return cached
  }

  since(revision: number, scope: Scope): CachedChange[] {
    const found: CachedChange[] = []
    for (let i = this.#changes.length - 1; i >= this.#dropped; i--) {
      const change = this.#changes[i]!
      if (change.revision <= revision) break
      if (isWithin(scope, change.key)) found.push(change)
    }
    return found.reverse()
  }

  #isTooLarge(): boolean {
    const length = this.#changes.length - this.#dropped
    return (
      length > this.#limits.changes || (length > 0 && this.#characters > this.#limits.characters)
    )
  }

  #dropOldest(): void {
    const oldest = this.#changes[this.#dropped]!
    this.#start = oldest.revision
    this.#characters -= oldest.size
    this.#dropped++
    // Compacted occasionally, so that dropping takes constant time on average.
    if (this.#dropped * 2 > this.#changes.length) {
      this.#changes = this.#changes.slice(this.#dropped)
      this.#dropped = 0
    }
  }
}
