import type { Watch } from '../host.ts'
import type { PathNode } from '../files/resolve-path.ts'
import { resolvePath } from '../files/resolve-path.ts'

/** The watches on an in-memory file system. */
export class MemoryWatches {
  readonly #nodeAt: (path: string) => PathNode
  readonly #watches = new Set<MemoryWatch>()

  constructor(nodeAt: (path: string) => PathNode) {
    this.#nodeAt = nodeAt
  }

  open(paths: readonly string[], changed: (path: string) => void): Watch {
    const watch = new MemoryWatch(this.#nodeAt, changed, () => this.#watches.delete(watch))
    watch.arm(paths)
    this.#watches.add(watch)
    return watch
  }

  notify(path: string): void {
    for (const watch of this.#watches) watch.notify(path)
  }
}

class MemoryWatch implements Watch {
  readonly #nodeAt: (path: string) => PathNode
  readonly #changed: (path: string) => void
  readonly #forget: () => void
  /** The watched paths that depend on a path. An outdated dependency causes one superfluous event. */
  readonly #dependents = new Map<string, Set<string>>()
  #closed = false

  constructor(
    nodeAt: (path: string) => PathNode,
    changed: (path: string) => void,
    forget: () => void,
  ) {
    this.#nodeAt = nodeAt
    this.#changed = changed
    this.#forget = forget
  }

  arm(paths: Iterable<string>): void {
    for (const path of paths) {
      for (const passed of this.#resolve(path)) {
        const dependents = this.#dependents.get(passed)
        if (dependents) dependents.add(path)
        else this.#dependents.set(passed, new Set([path]))
      }
    }
  }

  notify(changedPath: string): void {
    const paths = this.#dependents.get(changedPath)
    if (!paths) return
    this.#dependents.delete(changedPath)
    this.arm(paths)
    // Asynchronous, as on a real machine: the writer continues first.
    queueMicrotask(() => {
      for (const path of paths) if (!this.#closed) this.#changed(path)
    })
  }

  close(): void {
    this.#closed = true
    this.#forget()
  }

  #resolve(path: string): readonly string[] {
    const visited: string[] = []
    const nodeAt = (each: string): PathNode => {
      visited.push(each)
      return this.#nodeAt(each)
    }
    try {
      return resolvePath(path, nodeAt).passed
    } catch {
      return visited
    }
  }
}
