import type { Stats } from 'node:fs'
import { HostFailure } from '../host-failure.ts'
import { childOf, partsOf } from '../paths.ts'
import type { Disk, OpenFile } from './disk.ts'
import { openFlags } from './disk.ts'
import { isTrustedOwner, LinkFollower } from './link-follower.ts'
import { codeOf } from './system-errors.ts'

/** An open directory below the root. Its entries are accessed relative to its descriptor. */
export interface OpenDirectory {
  /** The path on the machine, with links resolved. */
  readonly path: string
  /** The path for system calls to an entry of this directory, even if the directory is moved or replaced. */
  entryPath(name: string): string
  stat(): Promise<Stats>
  sync(): Promise<void>
  close(): Promise<void>
}

/**
 * Opens directories below a root part by part, each relative to the one before and never through a link. The walker resolves
 * links itself, as chroot would: `/` is the root, and `..` stops there. A path never leaves the root, even if a directory is
 * replaced by a link during the walk. (Without /proc, as on macOS, entries are accessed by plain paths, and that last
 * guarantee does not hold.)
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

  async #open(parts: string[], path: string): Promise<OpenDirectory> {
    const links = new LinkFollower(path)
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
          throw links.explain(childOf(here.path, name), error)
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
    const entry = here.entryPath(name)
    try {
      const file = await this.#disk.open(entry, openFlags.directory)
      const path = childOf(here.path, name)
      return openDirectory(path, this.#pathOf(file, path), file)
    } catch (error) {
      const code = codeOf(error)
      // For a link, Linux returns ENOTDIR, other systems ELOOP. A file is ENOTDIR as well.
      if (code !== 'ELOOP' && code !== 'ENOTDIR') throw error
      const stats = await this.#disk.lstat(entry)
      if (!stats.isSymbolicLink()) throw error
      const owner = isTrustedOwner(stats.uid) ? (await here.stat()).uid : stats.uid
      return { target: await this.#disk.readlink(entry), owner }
    }
  }

  async #openRoot(): Promise<OpenDirectory> {
    // The path of the root may contain links; paths below it must not lead out of it.
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
  /** The user who can change the link: the owner of its directory can replace it at any moment. */
  readonly owner: number
}

const openDirectory = (path: string, location: string, file: OpenFile): OpenDirectory => ({
  path,
  entryPath: (name) => `${location}/${name}`,
  stat: () => file.stat(),
  sync: () => file.sync(),
  close: () => file.close(),
})

/** Ignores errors: the directories were only read. */
async function closeAll(directories: readonly OpenDirectory[]): Promise<void> {
  await Promise.allSettled(directories.map((directory) => directory.close()))
}
