import type { Stats } from 'node:fs'
import { withoutTrailing } from '@machinist/core/trimmed'
import type { Attributes } from './attributes.ts'
import { realAttributes } from './attributes.ts'
import type { Disk } from './disk.ts'
import { closing, openFlags } from './disk.ts'
import { HostFailure } from './host-failure.ts'
import { refuseIrregular, refuseOther } from './irregular.ts'
import type { Entry, HostFiles, NewDirectory, NewFile, Watch } from './host.ts'
import type { Labels } from './labels.ts'
import type { Spot } from './spots.ts'
import { Spots } from './spots.ts'
import { codeOf, orAbsent } from './system-errors.ts'
import { watchPaths } from './watch-paths.ts'

export interface RootedFilesOptions {
  readonly disk: Disk
  /** Where the machine's root is, for us. */
  readonly root: string
  readonly attributes?: Attributes
  readonly labels?: Labels
}

const usualLimit = 64 * 1024 * 1024

/** The files below a root: of this machine, of one that is mounted, or of a sandbox. */
export class RootedFiles implements HostFiles {
  readonly #disk: Disk
  readonly #root: string
  readonly #spots: Spots
  readonly #attributes: Attributes
  readonly #labels: Labels | undefined

  constructor({ disk, root, attributes = realAttributes, labels }: RootedFilesOptions) {
    this.#disk = disk
    this.#root = withoutTrailing(root, '/')
    this.#spots = new Spots(disk, this.#root)
    this.#attributes = attributes
    this.#labels = labels
  }

  async look(path: string): Promise<Entry | undefined> {
    return orAbsent(() =>
      path === '/'
        ? this.#spots.directory(path, (directory) => this.#entry(directory.at('.'), path))
        : this.#spots.at(path, ({ at, place }) => this.#entry(at, place)),
    )
  }

  read(path: string, limit = usualLimit): Promise<Uint8Array> {
    return this.#spots.at(path, async ({ at }) => {
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
      this.#spots.directory(path, (directory) => this.#disk.readdir(directory.at('.'))),
    )
    return (names ?? []).sort()
  }

  write(path: string, file: NewFile): Promise<void> {
    return this.#spots.change(path, async (spot) => {
      const before = await this.#replaceable(spot, path)
      await this.#spots.replace(spot, async (fresh) => {
        // Never wider than asked for, not even for a moment and for nobody.
        const made = await this.#disk.open(fresh, openFlags.fresh, file.mode & 0o600)
        await closing(made, async () => {
          await made.write(file.content)
          await this.#attributes.set(made, spot.place, file)
          // The label of a link would be that of what it leads to.
          const as = before?.isFile() ? 'replacement' : 'file'
          await this.#labels?.apply(forOthers(fresh), path, as)
          await made.sync()
        })
      })
    })
  }

  append(path: string, content: Uint8Array): Promise<void> {
    return this.#spots.change(path, async ({ at, directory }) => {
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
    return this.#spots.change(path, async (spot) => {
      await this.#replaceable(spot, path)
      await this.#spots.replace(spot, (fresh) => this.#disk.symlink(target, fresh))
      await this.#attributes.forget(spot.place)
    })
  }

  async remove(path: string): Promise<void> {
    await orAbsent(() =>
      this.#spots.change(path, async ({ at, place, fresh, directory }) => {
        await this.#spots.clear(fresh)
        await orAbsent(() => this.#disk.unlink(at))
        await this.#attributes.forget(place)
        await directory.sync()
      }),
    )
  }

  async tidy(path: string): Promise<void> {
    await orAbsent(() =>
      this.#spots.change(path, async ({ fresh, directory }) => {
        await this.#spots.clear(fresh)
        // A crash came perhaps after a rename and before this.
        await directory.sync()
      }),
    )
  }

  move(from: string, to: string): Promise<void> {
    return this.#spots.change(from, (source) =>
      this.#spots.at(to, async (target) => {
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
    return this.#spots.change(path, async (spot) => {
      const stats = await orAbsent(() => this.#disk.lstat(spot.at))
      if (stats?.isDirectory() || stats?.isSymbolicLink()) return this.#spots.clear(spot.fresh)
      if (stats) throw new HostFailure(`${path} is there already and is not a directory`, 'EEXIST')
      await this.#spots.replace(spot, async (fresh) => {
        await this.#disk.mkdir(fresh, this.#attributes.meanwhile(wanted.mode))
        await this.#labels?.apply(forOthers(fresh), path, 'directory')
        await this.#settle(fresh, spot.place, wanted)
      })
    })
  }

  async removeDirectory(path: string): Promise<boolean> {
    const gone = await orAbsent(() =>
      this.#spots.change(path, async ({ at, place, fresh, directory }) => {
        await this.#spots.clear(fresh)
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
    return this.#spots.change(path, ({ at, place }) => this.#settle(at, place, to))
  }

  watch(paths: readonly string[], changed: (path: string | undefined) => void): Watch {
    return watchPaths(this.#root, paths, changed)
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
}

const forOthers = (fresh: string): string =>
  fresh.replace(/^\/proc\/self\//, `/proc/${process.pid}/`)

const notEmpty = new Set(['ENOTEMPTY', 'EEXIST', 'ENOTDIR'])
