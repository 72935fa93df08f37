import type { FSWatcher } from 'node:fs'
import { lstatSync, readlinkSync, watch } from 'node:fs'
import type { Watch } from './host.ts'
import { childOf, isWithin, parentOf } from './paths.ts'
import type { Signpost } from './way.ts'
import { wayTo } from './way.ts'

/**
 * Watches every directory on the way to the paths, one watch each, for the names that matter there. So it sees a path come
 * whose directory does not exist yet, and a directory or link on the way that is replaced by another. Told is which path may
 * have changed; or nothing, when something may have been missed. (Node does not tell when the system's queue overflows: look
 * at everything now and then all the same.)
 */
export function watchPaths(
  root: string,
  paths: readonly string[],
  changed: (path: string | undefined) => void,
): Watch {
  const watched = new WatchedPaths(root, changed)
  watched.arm(paths)
  return watched
}

class WatchedPaths implements Watch {
  readonly #root: string
  readonly #changed: (path: string | undefined) => void
  /** The places that decide about a path, by path. */
  readonly #ways = new Map<string, readonly string[]>()
  #places: ReadonlySet<string> = new Set()
  /** By directory. */
  readonly #watchers = new Map<string, FSWatcher>()
  #closed = false

  constructor(root: string, changed: (path: string | undefined) => void) {
    this.#root = root
    this.#changed = changed
  }

  arm(paths: Iterable<string>): void {
    for (const path of paths) this.#ways.set(path, this.#wayTo(path))
    this.#places = new Set([...this.#ways.values()].flat())
    const directories = new Set([...this.#places].map(parentOf))
    for (const directory of this.#watchers.keys()) {
      if (!directories.has(directory)) this.#drop(directory)
    }
    for (const directory of directories) this.#watch(directory)
  }

  close(): void {
    this.#closed = true
    for (const directory of this.#watchers.keys()) this.#drop(directory)
  }

  #watch(directory: string): void {
    if (this.#watchers.has(directory)) return
    try {
      // With the dot, what happens to the directory itself is told under a name that no entry has.
      const watcher = watch(`${this.#root}${directory}/.`, { persistent: false })
      this.#watchers.set(directory, watcher)
      watcher.on('change', (_event, name) => this.#heard(directory, name?.toString()))
      watcher.on('error', () => this.#lost(directory))
    } catch {
      // It went in this moment, or the system has no more watches to give. The caller does not have us yet: not at once.
      queueMicrotask(() => this.#tell(undefined))
    }
  }

  #heard(directory: string, name: string | undefined): void {
    if (name === undefined) return this.#tell(undefined)
    const place = name === '.' ? directory : childOf(directory, name)
    if (place === '/' || this.#places.has(place)) this.#renew(place)
  }

  /** Something else may be at this place now: whatever leads through it is looked up anew. */
  #renew(place: string): void {
    if (this.#closed) return
    for (const directory of this.#watchers.keys()) {
      if (isWithin(directory, place)) this.#drop(directory)
    }
    const affected = [...this.#ways]
      .filter(([, passed]) => passed.some((each) => isWithin(each, place)))
      .map(([path]) => path)
    this.arm(affected)
    for (const path of affected) this.#tell(path)
  }

  #lost(directory: string): void {
    this.#drop(directory)
    this.#tell(undefined)
  }

  #drop(directory: string): void {
    this.#watchers.get(directory)?.close()
    this.#watchers.delete(directory)
  }

  #tell(path: string | undefined): void {
    if (!this.#closed) this.#changed(path)
  }

  #wayTo(path: string): readonly string[] {
    const asked: string[] = []
    try {
      const way = wayTo(path, (place) => {
        asked.push(place)
        return signpost(`${this.#root}${place}`)
      })
      return way.passed
    } catch {
      // A link that is not followed, or a loop: somebody may put it right.
      return asked
    }
  }
}

/** At once, so that no change is missed after the caller has its watch. */
function signpost(location: string): Signpost {
  const stats = lstatSync(location, { throwIfNoEntry: false })
  if (stats?.isDirectory()) return { type: 'directory' }
  if (!stats?.isSymbolicLink()) return undefined
  return { type: 'symlink', target: readlinkSync(location), uid: stats.uid }
}
