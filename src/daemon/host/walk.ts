import type { Stats } from 'node:fs'
import type { Disk, OpenFile } from './disk.ts'
import { openFlags } from './disk.ts'
import { HostFailure } from './host-failure.ts'
import { isTrusted, LinksOnTheWay } from './links.ts'
import { childOf, partsOf } from './paths.ts'
import { codeOf } from './system-errors.ts'

/** An open directory inside the root, through which its entries are reached by name alone. */
export interface OpenDirectory {
  /** Where it is, as processes on the machine see it, with links resolved. */
  readonly path: string
  /** A path for system calls to an entry of this very directory, whatever its path leads to by now. */
  at(name: string): string
  stat(): Promise<Stats>
  sync(): Promise<void>
  close(): Promise<void>
}

/**
 * Opens directories below a root part by part, each relative to the one before and never through a link. Links are read
 * and resolved here, as chroot would: `/` is the root, `..` stops there. So nobody can lead a path out of the root, not even by
 * swapping a directory for a link while we walk. (Where there is no /proc, as on macOS, entries are reached by their plain
 * paths, and that last promise does not hold.)
 */
export class Walker {
  readonly #disk: Disk
  readonly #root: string

  constructor(disk: Disk, root: string) {
    this.#disk = disk
    this.#root = root
  }

  /** The directory that holds the last part of a path, and that part. */
  async parent(path: string): Promise<{ directory: OpenDirectory; name: string }> {
    const parts = partsOf(path)
    const name = parts.pop()
    if (name === undefined) throw new HostFailure('the root itself cannot be replaced', 'EINVAL')
    return { directory: await this.#open(parts, path), name }
  }

  async directory(path: string): Promise<OpenDirectory> {
    return this.#open(partsOf(path), path)
  }

  async #open(parts: string[], wanted: string): Promise<OpenDirectory> {
    const links = new LinksOnTheWay(wanted)
    const trail = [await this.#openRoot()]
    const todo = [...parts].reverse()
    try {
      for (let name = todo.pop(); name !== undefined; name = todo.pop()) {
        const here = trail.at(-1)!
        if (name === '..') {
          await closeAll(trail.splice(Math.max(trail.length - 1, 1)))
          continue
        }
        const next = await this.#step(here, name).catch((error: unknown) => {
          throw links.lost(childOf(here.path, name), error)
        })
        if (!('target' in next)) {
          trail.push(next)
          continue
        }
        const { target, owner } = next
        todo.push(...links.follow(childOf(here.path, name), target, owner).reverse())
        if (target.startsWith('/')) await closeAll(trail.splice(1))
      }
    } catch (error) {
      await closeAll(trail)
      throw error
    }
    const found = trail.pop()!
    await closeAll(trail)
    return found
  }

  async #step(here: OpenDirectory, name: string): Promise<OpenDirectory | Link> {
    const entry = here.at(name)
    try {
      const file = await this.#disk.open(entry, openFlags.directory)
      const path = childOf(here.path, name)
      return openDirectory(path, this.#pathOf(file, path), file)
    } catch (error) {
      const code = codeOf(error)
      // Linux says ENOTDIR for a link, others ELOOP; a plain file is ENOTDIR as well.
      if (code !== 'ELOOP' && code !== 'ENOTDIR') throw error
      const stats = await this.#disk.lstat(entry)
      if (!stats.isSymbolicLink()) throw error
      const owner = isTrusted(stats.uid) ? (await here.stat()).uid : stats.uid
      return { target: await this.#disk.readlink(entry), owner }
    }
  }

  async #openRoot(): Promise<OpenDirectory> {
    // The root itself may be named by a link; what is below may not lead out of it.
    const file = await this.#disk.open(`${this.#root}/.`, openFlags.directory)
    return openDirectory('/', this.#pathOf(file, '/'), file)
  }

  #pathOf({ fd }: OpenFile, path: string): string {
    if (process.platform === 'linux') return `/proc/self/fd/${fd}`
    return path === '/' ? this.#root : `${this.#root}${path}`
  }
}

interface Link {
  readonly target: string
  /** Who can change it: who owns the directory can put another in its place at any moment. */
  readonly owner: number
}

const openDirectory = (path: string, location: string, file: OpenFile): OpenDirectory => ({
  path,
  at: (name) => `${location}/${name}`,
  stat: () => file.stat(),
  sync: () => file.sync(),
  close: () => file.close(),
})

/** A directory that was only looked through closes well enough, whatever the system says. */
async function closeAll(directories: readonly OpenDirectory[]): Promise<void> {
  await Promise.allSettled(directories.map((directory) => directory.close()))
}
