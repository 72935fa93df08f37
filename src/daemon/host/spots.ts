import type { Disk } from './disk.ts'
import { closing } from './disk.ts'
import { freshName, isFreshName } from './fresh-name.ts'
import { HostFailure } from './host-failure.ts'
import { OneAtATime } from './one-at-a-time.ts'
import { childOf } from './paths.ts'
import { codeOf, named, orAbsent } from './system-errors.ts'
import type { OpenDirectory } from './walk.ts'
import { Walker } from './walk.ts'

/** Where a path leads, its last part not followed. */
export interface Spot {
  readonly directory: OpenDirectory
  readonly name: string
  /** For system calls. */
  readonly at: string
  /** For system calls: where something is made that will be here. */
  readonly fresh: string
  /** On the machine. */
  readonly place: string
}

/** The places of files below a root, reached safely, and changed one at a time. */
export class Spots {
  readonly #disk: Disk
  readonly #walker: Walker
  /** Two that write the same file must not meet at its fresh name. */
  readonly #changes = new OneAtATime()

  constructor(disk: Disk, root: string) {
    this.#disk = disk
    this.#walker = new Walker(disk, root)
  }

  at<T>(path: string, work: (spot: Spot) => Promise<T>): Promise<T> {
    return named(path, async () => {
      const { directory, name } = await this.#walker.parent(path)
      const at = directory.at(name)
      const fresh = directory.at(freshName(name))
      const place = childOf(directory.path, name)
      return closing(directory, () => work({ directory, name, at, fresh, place }))
    })
  }

  change<T>(path: string, work: (spot: Spot) => Promise<T>): Promise<T> {
    return this.#changes.run(() => this.at(path, work))
  }

  directory<T>(path: string, work: (directory: OpenDirectory) => Promise<T>): Promise<T> {
    return named(path, async () => {
      const directory = await this.#walker.directory(path)
      return closing(directory, () => work(directory))
    })
  }

  /** Makes something beside its place and moves it there: it is seen whole, or not at all. */
  async replace(spot: Spot, make: (fresh: string) => Promise<void>): Promise<void> {
    if (isFreshName(spot.name)) {
      throw new HostFailure(`${spot.place}: such names are kept for unfinished files`, 'EINVAL')
    }
    await this.clear(spot.fresh)
    try {
      await make(spot.fresh)
      await this.#disk.rename(spot.fresh, spot.at)
    } catch (error) {
      // The first failure is the one to tell; what is left over goes with the next operation here.
      await this.clear(spot.fresh).catch(() => {})
      throw error
    }
    await spot.directory.sync()
  }

  /** Removes what a crash has left over. */
  async clear(fresh: string): Promise<void> {
    try {
      await orAbsent(() => this.#disk.unlink(fresh))
    } catch (error) {
      // Linux says EISDIR of a directory, others EPERM.
      if (codeOf(error) !== 'EISDIR' && codeOf(error) !== 'EPERM') throw error
      await this.#disk.rmdir(fresh)
    }
  }
}
