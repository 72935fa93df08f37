import type { FSWatcher } from 'node:fs'
import { lstatSync, readlinkSync, watch } from 'node:fs'
import type { Watch } from '../host.ts'
import { childOf, isWithin, parentOf } from '../paths.ts'
import type { PathNode } from './resolve-path.ts'
import { resolvePath } from './resolve-path.ts'

/**
 * Watches every directory that the resolution of the paths passes, with one watch each. It detects the creation of a path
 * whose directory does not exist yet, and the replacement of a directory or link above a path. `changed` receives the affected
 * path, or undefined if an event may have been missed. (Node does not report an overflow of the inotify queue, so callers
 * must also compare everything periodically.)
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
  /** The paths that the resolution of a path depends on, by path. */
  readonly #resolutions = new Map<string, readonly string[]>()
  #watched: ReadonlySet<string> = new Set()
  /** By directory. */
  readonly #watchers = new Map<string, FSWatcher>()
  #closed = false

  constructor(root: string, changed: (path: string | undefined) => void) {
    this.#root = root
    this.#changed = changed
  }

  arm(paths: Iterable<string>): void {
    for (const path of paths) this.#resolutions.set(path, this.#resolve(path))
    this.#watched = new Set([...this.#resolutions.values()].flat())
    const directories = new Set([...this.#watched].map(parentOf))
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
      // With the dot, events of the directory itself have the name `.`, which no entry has.
      const watcher = watch(`${this.#root}${directory}/.`, { persistent: false })
      this.#watchers.set(directory, watcher)
      watcher.on('change', (_event, name) => this.#handleEvent(directory, name?.toString()))
      watcher.on('error', () => this.#handleError(directory))
    } catch {
      // The directory was removed, or the system is out of watches. Report later: the caller has no Watch yet.
      queueMicrotask(() => this.#report(undefined))
    }
  }

  #handleEvent(directory: string, name: string | undefined): void {
    if (name === undefined) return this.#report(undefined)
    const path = name === '.' ? directory : childOf(directory, name)
    if (path === '/' || this.#watched.has(path)) this.#renew(path)
  }

  /** The path may be another entry now: resolves every path that depends on it again. */
  #renew(changed: string): void {
    if (this.#closed) return
    for (const directory of this.#watchers.keys()) {
      if (isWithin(directory, changed)) this.#drop(directory)
    }
    const affected = [...this.#resolutions]
      .filter(([, passed]) => passed.some((each) => isWithin(each, changed)))
      .map(([path]) => path)
    this.arm(affected)
    for (const path of affected) this.#report(path)
  }

  #handleError(directory: string): void {
    this.#drop(directory)
    this.#report(undefined)
  }

  #drop(directory: string): void {
    this.#watchers.get(directory)?.close()
    this.#watchers.delete(directory)
  }

  #report(path: string | undefined): void {
    if (!this.#closed) this.#changed(path)
  }

  #resolve(path: string): readonly string[] {
    const visited: string[] = []
    try {
      const resolution = resolvePath(path, (each) => {
        visited.push(each)
        return nodeAt(`${this.#root}${each}`)
      })
      return resolution.passed
    } catch {
      // An untrusted link, or a loop: watch what was resolved so far, because an administrator may repair it.
      return visited
    }
  }
}

/** Synchronous, so that no change is missed after the caller has its Watch. */
function nodeAt(location: string): PathNode {
  const stats = lstatSync(location, { throwIfNoEntry: false })
  if (stats?.isDirectory()) return { type: 'directory' }
  if (!stats?.isSymbolicLink()) return undefined
  return { type: 'symlink', target: readlinkSync(location), uid: stats.uid }
}
