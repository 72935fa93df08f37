import type { Watch } from '../host.ts'
import type { Signpost } from '../way.ts'
import { wayTo } from '../way.ts'

/** Who wants to know about which places of a file system in memory. */
export class MemoryWatches {
  readonly #at: (place: string) => Signpost
  readonly #watches = new Set<MemoryWatch>()

  constructor(at: (place: string) => Signpost) {
    this.#at = at
  }

  open(paths: readonly string[], changed: (path: string) => void): Watch {
    const watch = new MemoryWatch(this.#at, changed, () => this.#watches.delete(watch))
    watch.arm(paths)
    this.#watches.add(watch)
    return watch
  }

  tell(place: string): void {
    for (const watch of this.#watches) watch.happened(place)
  }
}

class MemoryWatch implements Watch {
  readonly #at: (place: string) => Signpost
  readonly #changed: (path: string) => void
  readonly #forget: () => void
  /** Which paths depend on a place. One that a path has left may tell once too often, no harm. */
  readonly #dependents = new Map<string, Set<string>>()
  #closed = false

  constructor(
    at: (place: string) => Signpost,
    changed: (path: string) => void,
    forget: () => void,
  ) {
    this.#at = at
    this.#changed = changed
    this.#forget = forget
  }

  arm(paths: Iterable<string>): void {
    for (const path of paths) {
      for (const place of this.#placesOf(path)) {
        const dependents = this.#dependents.get(place)
        if (dependents) dependents.add(path)
        else this.#dependents.set(place, new Set([path]))
      }
    }
  }

  happened(place: string): void {
    const paths = this.#dependents.get(place)
    if (!paths) return
    this.#dependents.delete(place)
    this.arm(paths)
    // As on a real machine, not before whoever changed it goes on.
    queueMicrotask(() => {
      for (const path of paths) if (!this.#closed) this.#changed(path)
    })
  }

  close(): void {
    this.#closed = true
    this.#forget()
  }

  #placesOf(path: string): readonly string[] {
    const asked: string[] = []
    const at = (place: string): Signpost => {
      asked.push(place)
      return this.#at(place)
    }
    try {
      return wayTo(path, at).passed
    } catch {
      return asked
    }
  }
}
