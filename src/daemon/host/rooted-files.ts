import type { Stats } from 'node:fs'
import type { Attributes } from './attributes.ts'
import { realAttributes } from './attributes.ts'
import type { Disk } from './disk.ts'
import { closing, openFlags } from './disk.ts'
import { freshName, isFreshName } from './fresh-name.ts'
import { HostFailure } from './host-failure.ts'
import type { Entry, HostFiles, NewDirectory, NewFile, Watch } from './host.ts'
import { OneAtATime } from './one-at-a-time.ts'
import { childOf } from './paths.ts'
import { codeOf, named, orAbsent } from './system-errors.ts'
import type { OpenDirectory } from './walk.ts'
import { Walker } from './walk.ts'
import { watchPaths } from './watch-paths.ts'

export interface RootedFilesOptions {
  readonly disk: Disk
  /** Where the machine's root is, for us. */
  readonly root: string
  readonly attributes?: Attributes
  readonly labels?: Labels
}

/** Security labels, where the machine has them. */
export interface Labels {
  /**
   * Gives a fresh file or directory the label that belongs at `path`: that of the file it replaces, or the policy's. Other
   * processes can reach it as `fresh`, too.
   */
  apply(fresh: string, path: string, replaces: boolean): Promise<void>
}

const usualLimit = 64 * 1024 * 1024

/** The files below a root: of this machine, of one that is mounted, or of a sandbox. */
export class RootedFiles implements HostFiles {
  readonly #disk: Disk
  readonly #root: string
  readonly #walker: Walker
  readonly #attributes: Attributes
  readonly #labels: Labels | undefined
  /** Two that write the same file must not meet at its fresh name. */
  readonly #changes = new OneAtATime()

  constructor({ disk, root, attributes = realAttributes, labels }: RootedFilesOptions) {
    this.#disk = disk
    this.#root = root.replace(/\/+$/, '')
    this.#walker = new Walker(disk, this.#root)
    this.#attributes = attributes
    this.#labels = labels
  }

  async look(path: string): Promise<Entry | undefined> {
    return orAbsent(() =>
      path === '/'
        ? this.#inDirectory(path, (directory) => this.#entry(directory.at('.'), path))
        : this.#at(path, ({ at, place }) => this.#entry(at, place)),
    )
  }

  read(path: string, limit = usualLimit): Promise<Uint8Array> {
    return this.#at(path, async ({ at }) => {
      // Before it is opened, because that alone may do something to a device.
      refuseIrregular(await this.#disk.lstat(at), path)
      const file = await this.#disk.open(at, openFlags.read)
      return closing(file, async () => {
        const stats = await file.stat()
        refuseIrregular(stats, path)
        const content = stats.size > limit ? undefined : await file.read(limit)
        if (content && content.length <= limit) return content
        throw new HostFailure(`${path} is larger than ${limit} bytes`, 'EFBIG')
      })
    })
  }

  async list(path: string): Promise<string[]> {
    const names = await orAbsent(() =>
      this.#inDirectory(path, (directory) => this.#disk.readdir(directory.at('.'))),
    )
    return (names ?? []).sort()
  }

  write(path: string, file: NewFile): Promise<void> {
    return this.#change(path, async (spot) => {
      const before = await this.#replaceable(spot, path)
      await this.#replace(spot, async (fresh) => {
        // Never wider than asked for, not even for a moment and for nobody.
        const made = await this.#disk.open(fresh, openFlags.fresh, file.mode & 0o600)
        await closing(made, async () => {
          await made.write(file.content)
          await this.#attributes.set(made, spot.place, file)
          await this.#labels?.apply(forOthers(fresh), path, before !== undefined)
          await made.sync()
        })
      })
    })
  }

  append(path: string, content: Uint8Array): Promise<void> {
    return this.#change(path, async ({ at, directory }) => {
      const before = await orAbsent(() => this.#disk.lstat(at))
      if (before) refuseIrregular(before, path)
      const file = await this.#disk.open(at, openFlags.append, 0o600)
      await closing(file, async () => {
        refuseIrregular(await file.stat(), path)
        await file.write(content)
        await file.sync()
      })
      if (!before) await directory.sync()
    })
  }

  link(path: string, target: string): Promise<void> {
    return this.#change(path, async (spot) => {
      await this.#replaceable(spot, path)
      await this.#replace(spot, (fresh) => this.#disk.symlink(target, fresh))
      await this.#attributes.forget(spot.place)
    })
  }

  async remove(path: string): Promise<void> {
    await orAbsent(() =>
      this.#change(path, async ({ at, place, fresh, directory }) => {
        await this.#clear(fresh)
        await orAbsent(() => this.#disk.unlink(at))
        await this.#attributes.forget(place)
        await directory.sync()
      }),
    )
  }

  async tidy(path: string): Promise<void> {
    await orAbsent(() =>
      this.#change(path, async ({ fresh, directory }) => {
        await this.#clear(fresh)
        // A crash came perhaps after a rename and before this.
        await directory.sync()
      }),
    )
  }

  move(from: string, to: string): Promise<void> {
    return this.#change(from, (source) =>
      this.#at(to, async (target) => {
        const moved = await orAbsent(() => this.#disk.lstat(source.at))
        const there = await this.#replaceable(target, to)
        // Done before, it seems.
        if (moved === undefined && there !== undefined) return
        await this.#replaceable(source, from)
        await this.#disk.rename(source.at, target.at)
        await this.#attributes.forget(source.place, target.place)
        await target.directory.sync()
        await source.directory.sync()
      }),
    )
  }

  makeDirectory(path: string, wanted: NewDirectory): Promise<void> {
    return this.#change(path, async (spot) => {
      const stats = await orAbsent(() => this.#disk.lstat(spot.at))
      if (stats?.isDirectory() || stats?.isSymbolicLink()) return this.#clear(spot.fresh)
      if (stats) throw new HostFailure(`${path} is there already and is not a directory`, 'EEXIST')
      await this.#replace(spot, async (fresh) => {
        await this.#disk.mkdir(fresh, this.#attributes.meanwhile(wanted.mode))
        await this.#labels?.apply(forOthers(fresh), path, false)
        await this.#settle(fresh, spot.place, wanted)
      })
    })
  }

  async removeDirectory(path: string): Promise<boolean> {
    const gone = await orAbsent(() =>
      this.#change(path, async ({ at, place, fresh, directory }) => {
        await this.#clear(fresh)
        try {
          await this.#disk.rmdir(at)
        } catch (error) {
          if (notEmpty.has(codeOf(error))) return false
          throw error
        }
        await this.#attributes.forget(place)
        await directory.sync()
        return true
      }),
    )
    return gone ?? true
  }

  change(path: string, to: NewDirectory): Promise<void> {
    return this.#change(path, ({ at, place }) => this.#settle(at, place, to))
  }

  watch(paths: readonly string[], changed: (path: string | undefined) => void): Watch {
    return watchPaths(this.#root, paths, changed)
  }

  /** Makes something beside its place and moves it there: it is seen whole, or not at all. */
  async #replace(spot: Spot, make: (fresh: string) => Promise<void>): Promise<void> {
    if (isFreshName(spot.name)) {
      throw new HostFailure(`${spot.place}: such names are kept for unfinished files`, 'EINVAL')
    }
    await this.#clear(spot.fresh)
    try {
      await make(spot.fresh)
      await this.#disk.rename(spot.fresh, spot.at)
    } catch (error) {
      // The first failure is the one to tell; what is left over goes with the next operation here.
      await this.#clear(spot.fresh).catch(() => {})
      throw error
    }
    await spot.directory.sync()
  }

  async #settle(at: string, place: string, wanted: NewDirectory): Promise<void> {
    refuseOther(await this.#disk.lstat(at), place)
    const file = await this.#disk.open(at, openFlags.read)
    await closing(file, async () => {
      await this.#attributes.set(file, place, wanted)
      await file.sync()
    })
  }

  async #entry(at: string, place: string): Promise<Entry> {
    const stats = await this.#disk.lstat(at)
    const { mode, uid, gid } = this.#attributes.of(stats, place)
    if (stats.isFile()) return { type: 'file', mode, size: stats.size, uid, gid }
    if (stats.isDirectory()) return { type: 'directory', mode, uid, gid }
    if (!stats.isSymbolicLink()) return { type: 'other' }
    return { type: 'symlink', target: await this.#disk.readlink(at), uid, gid }
  }

  /** What is there may be replaced by a file or a link. */
  async #replaceable({ at }: Spot, path: string): Promise<Stats | undefined> {
    const stats = await orAbsent(() => this.#disk.lstat(at))
    if (stats && !stats.isSymbolicLink()) refuseIrregular(stats, path)
    return stats
  }

  /** Removes what a crash has left over. */
  async #clear(fresh: string): Promise<void> {
    try {
      await orAbsent(() => this.#disk.unlink(fresh))
    } catch (error) {
      // Linux says EISDIR of a directory, others EPERM.
      if (codeOf(error) !== 'EISDIR' && codeOf(error) !== 'EPERM') throw error
      await this.#disk.rmdir(fresh)
    }
  }

  #change<T>(path: string, work: (spot: Spot) => Promise<T>): Promise<T> {
    return this.#changes.run(() => this.#at(path, work))
  }

  #at<T>(path: string, work: (spot: Spot) => Promise<T>): Promise<T> {
    return named(path, async () => {
      const { directory, name } = await this.#walker.parent(path)
      const at = directory.at(name)
      const fresh = directory.at(freshName(name))
      const place = childOf(directory.path, name)
      return closing(directory, () => work({ directory, name, at, fresh, place }))
    })
  }

  #inDirectory<T>(path: string, work: (directory: OpenDirectory) => Promise<T>): Promise<T> {
    return named(path, async () => {
      const directory = await this.#walker.directory(path)
      return closing(directory, () => work(directory))
    })
  }
}

/** Where a path leads, its last part not followed. */
interface Spot {
  readonly directory: OpenDirectory
  readonly name: string
  /** For system calls. */
  readonly at: string
  /** For system calls: where something is made that will be here. */
  readonly fresh: string
  /** On the machine. */
  readonly place: string
}

function refuseIrregular(stats: Stats, path: string): void {
  if (stats.isDirectory()) throw new HostFailure(`${path} is a directory`, 'EISDIR')
  refuseOther(stats, path)
}

/** Devices, sockets and pipes are not touched; a link is not what it leads to. */
function refuseOther(stats: Stats, path: string): void {
  if (stats.isFile() || stats.isDirectory()) return
  if (stats.isSymbolicLink()) throw new HostFailure(`${path} is a symbolic link`, 'ELOOP')
  throw new HostFailure(`${path} is a device, socket or pipe`, 'EINVAL')
}

const forOthers = (fresh: string): string =>
  fresh.replace(/^\/proc\/self\//, `/proc/${process.pid}/`)

const notEmpty = new Set(['ENOTEMPTY', 'EEXIST', 'ENOTDIR'])
