import type { Scope } from './scope.ts'
import { scopesOf } from './scope.ts'
import type { Watcher } from './watcher.ts'

/** Finds the watches of a change without scanning all of them. */
export class WatcherIndex {
  readonly #byScope = new Map<Scope, Set<Watcher>>()

  get size(): number {
    let size = 0
    for (const watchers of this.#byScope.values()) size += watchers.size
    return size
  }

  add(scope: Scope, watcher: Watcher): void {
    const known = this.#byScope.get(scope)
    if (known) known.add(watcher)
    else this.#byScope.set(scope, new Set([watcher]))
  }

  remove(scope: Scope, watcher: Watcher): void {
    const known = this.#byScope.get(scope)
    known?.delete(watcher)
    if (known?.size === 0) this.#byScope.delete(scope)
  }

  *of(key: string): Iterable<Watcher> {
    for (const scope of scopesOf(key)) {
      const watchers = this.#byScope.get(scope)
      if (watchers) yield* watchers
    }
  }

  all(): Watcher[] {
    return Array.from(this.#byScope.values(), (watchers) => Array.from(watchers)).flat()
  }
}
