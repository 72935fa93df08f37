import { HostFailure } from '../host-failure.ts'
import { childOf } from '../paths.ts'
import { SerialQueue } from '../serial-queue.ts'
import type { Disk } from './disk.ts'
import { closing } from './disk.ts'
import { codeOf, orAbsent, withPath } from './system-errors.ts'
import { isTemporaryName, temporaryName } from './temporary-name.ts'
import type { OpenDirectory } from './walk.ts'
import { Walker } from './walk.ts'

/** A resolved path: links above its last part are followed, its last part is not. */
export interface PathHandle {
  readonly directory: OpenDirectory
  readonly name: string
  /** The path for system calls. */
  readonly systemPath: string
  /** The path for system calls at which a replacement is created before it is renamed. */
  readonly temporaryPath: string
  /** The path on the machine. */
  readonly resolvedPath: string
}

/** Resolves paths below a root safely, and serializes changes. */
export class PathHandles {
  readonly #disk: Disk
  readonly #walker: Walker
  /** Two writers of the same file would use the same temporary name. */
  readonly #changes = new SerialQueue()

  constructor(disk: Disk, root: string) {
    this.#disk = disk
    this.#walker = new Walker(disk, root)
  }

  at<T>(path: string, work: (handle: PathHandle) => Promise<T>): Promise<T> {
    return withPath(path, async () => {
      const { directory, name } = await this.#walker.parent(path)
      const handle = {
        directory,
        name,
        systemPath: directory.entryPath(name),
        temporaryPath: directory.entryPath(temporaryName(name)),
        resolvedPath: childOf(directory.path, name),
      }
      return closing(directory, () => work(handle))
    })
  }

  change<T>(path: string, work: (handle: PathHandle) => Promise<T>): Promise<T> {
    return this.#changes.run(() => this.at(path, work))
  }

  directory<T>(path: string, work: (directory: OpenDirectory) => Promise<T>): Promise<T> {
    return withPath(path, async () => {
      const directory = await this.#walker.directory(path)
      return closing(directory, () => work(directory))
    })
  }

  /** Creates the replacement at the temporary path and renames it, so that the change is atomic. */
  async replace(
    handle: PathHandle,
    create: (temporaryPath: string) => Promise<void>,
  ): Promise<void> {
    const { name, directory, systemPath, temporaryPath, resolvedPath } = handle
    if (isTemporaryName(name)) {
      throw new HostFailure(`${resolvedPath}: names like this are reserved`, 'EINVAL')
    }
    await this.clear(temporaryPath)
    try {
      await create(temporaryPath)
      await this.#disk.rename(temporaryPath, systemPath)
    } catch (error) {
      // Report the first failure. The next operation on this path removes the leftover.
      await this.clear(temporaryPath).catch(() => {})
      throw error
    }
    await directory.sync()
  }

  /** Removes the leftover of a crash. */
  async clear(temporaryPath: string): Promise<void> {
    try {
      await orAbsent(() => this.#disk.unlink(temporaryPath))
    } catch (error) {
      // For a directory, Linux returns EISDIR, other systems EPERM.
      if (codeOf(error) !== 'EISDIR' && codeOf(error) !== 'EPERM') throw error
      await this.#disk.rmdir(temporaryPath)
    }
  }
}
