import type { Stats } from 'node:fs'
import { withoutTrailing } from '@machinist/core/trimmed'
import { HostFailure } from '../host-failure.ts'
import type { Entry, HostFiles, NewDirectory, NewFile, Watch } from '../host.ts'
import type { FileAttributes } from './attributes.ts'
import { realAttributes } from './attributes.ts'
import type { Disk } from './disk.ts'
import { closing, openFlags } from './disk.ts'
import { requireRegularFile, requireFileOrDirectory } from './file-type.ts'
import type { SecurityLabels } from './security-labels.ts'
import type { PathHandle } from './path-handles.ts'
import { PathHandles } from './path-handles.ts'
import { codeOf, orAbsent } from './system-errors.ts'
import { watchPaths } from './watch-paths.ts'

export interface RootedFilesOptions {
  readonly disk: Disk
  /** The directory at which the root of the machine is mounted. */
  readonly root: string
  readonly attributes?: FileAttributes
  readonly labels?: SecurityLabels
}

const defaultReadLimit = 64 * 1024 * 1024

/** The files below a root: of this machine, of a mounted root, or of a sandbox. */
export class RootedFiles implements HostFiles {
  readonly #disk: Disk
  readonly #root: string
  readonly #handles: PathHandles
  readonly #attributes: FileAttributes
  readonly #labels: SecurityLabels | undefined

  constructor({ disk, root, attributes = realAttributes, labels }: RootedFilesOptions) {
    this.#disk = disk
    this.#root = withoutTrailing(root, '/')
    this.#handles = new PathHandles(disk, this.#root)
    this.#attributes = attributes
    this.#labels = labels
  }

  async stat(path: string): Promise<Entry | undefined> {
    return orAbsent(() =>
      path === '/'
        ? this.#handles.directory(path, (directory) => this.#entry(directory.entryPath('.'), path))
        : this.#handles.at(path, ({ systemPath, resolvedPath }) =>
            this.#entry(systemPath, resolvedPath),
          ),
    )
  }

  read(path: string, limit = defaultReadLimit): Promise<Uint8Array> {
    return this.#handles.at(path, async ({ systemPath }) => {
      // Check before the file is opened: opening a device may have an effect.
      requireRegularFile(await this.#disk.lstat(systemPath), path)
      const file = await this.#disk.open(systemPath, openFlags.read)
      return closing(file, async () => {
        const stats = await file.stat()
        requireRegularFile(stats, path)
        const content = stats.size > limit ? undefined : await file.read(limit)
        if (content && content.length <= limit) return content
        throw new HostFailure(`${path} is larger than ${limit} bytes`, 'EFBIG')
      })
    })
  }

  async list(path: string): Promise<string[]> {
    const names = await orAbsent(() =>
      this.#handles.directory(path, (directory) => this.#disk.readdir(directory.entryPath('.'))),
    )
    return (names ?? []).sort()
  }

  write(path: string, file: NewFile): Promise<void> {
    return this.#handles.change(path, async (handle) => {
      const before = await this.#requireReplaceable(handle, path)
      await this.#handles.replace(handle, async (temporaryPath) => {
        // The mode must never be wider than requested, not even while the file is written.
        const made = await this.#disk.open(temporaryPath, openFlags.create, file.mode & 0o600)
        await closing(made, async () => {
          await made.write(file.content)
          await this.#attributes.set(made, handle.resolvedPath, file)
          // For a link, the label would be that of its target.
          const as = before?.isFile() ? 'replacement' : 'file'
          await this.#labels?.apply(visibleToOthers(temporaryPath), path, as)
          await made.sync()
        })
      })
    })
  }

  append(path: string, content: Uint8Array): Promise<void> {
    return this.#handles.change(path, async ({ systemPath, directory }) => {
      const before = await orAbsent(() => this.#disk.lstat(systemPath))
      if (before) requireRegularFile(before, path)
      const file = await this.#disk.open(systemPath, openFlags.append, 0o600)
      await closing(file, async () => {
        requireRegularFile(await file.stat(), path)
        await file.write(content)
        await file.sync()
      })
      if (!before) await directory.sync()
    })
  }

  link(path: string, target: string): Promise<void> {
    return this.#handles.change(path, async (handle) => {
      await this.#requireReplaceable(handle, path)
      await this.#handles.replace(handle, (temporaryPath) =>
        this.#disk.symlink(target, temporaryPath),
      )
      await this.#attributes.forget(handle.resolvedPath)
    })
  }

  async remove(path: string): Promise<void> {
    await orAbsent(() =>
      this.#handles.change(path, async ({ systemPath, resolvedPath, temporaryPath, directory }) => {
        await this.#handles.clear(temporaryPath)
        await orAbsent(() => this.#disk.unlink(systemPath))
        await this.#attributes.forget(resolvedPath)
        await directory.sync()
      }),
    )
  }

  async tidy(path: string): Promise<void> {
    await orAbsent(() =>
      this.#handles.change(path, async ({ temporaryPath, directory }) => {
        await this.#handles.clear(temporaryPath)
        // A crash may have come between the rename and the sync.
        await directory.sync()
      }),
    )
  }

  move(from: string, to: string): Promise<void> {
    return this.#handles.change(from, (source) =>
      this.#handles.at(to, async (target) => {
        const moved = await orAbsent(() => this.#disk.lstat(source.systemPath))
        const there = await this.#requireReplaceable(target, to)
        // An earlier attempt moved it already.
        if (moved === undefined && there !== undefined) return
        await this.#requireReplaceable(source, from)
        await this.#disk.rename(source.systemPath, target.systemPath)
        await this.#attributes.forget(source.resolvedPath, target.resolvedPath)
        await target.directory.sync()
        await source.directory.sync()
      }),
    )
  }

  makeDirectory(path: string, desired: NewDirectory): Promise<void> {
    return this.#handles.change(path, async (handle) => {
      const stats = await orAbsent(() => this.#disk.lstat(handle.systemPath))
      if (stats?.isDirectory() || stats?.isSymbolicLink())
        return this.#handles.clear(handle.temporaryPath)
      if (stats) throw new HostFailure(`${path} exists and is not a directory`, 'EEXIST')
      await this.#handles.replace(handle, async (temporaryPath) => {
        await this.#disk.mkdir(temporaryPath, this.#attributes.temporaryMode(desired.mode))
        await this.#labels?.apply(visibleToOthers(temporaryPath), path, 'directory')
        await this.#setAttributes(temporaryPath, handle.resolvedPath, desired)
      })
    })
  }

  async removeDirectory(path: string): Promise<boolean> {
    const gone = await orAbsent(() =>
      this.#handles.change(path, async ({ systemPath, resolvedPath, temporaryPath, directory }) => {
        await this.#handles.clear(temporaryPath)
        try {
          await this.#disk.rmdir(systemPath)
        } catch (error) {
          if (notEmptyCodes.has(codeOf(error))) return false
          throw error
        }
        await this.#attributes.forget(resolvedPath)
        await directory.sync()
        return true
      }),
    )
    return gone ?? true
  }

  change(path: string, to: NewDirectory): Promise<void> {
    return this.#handles.change(path, ({ systemPath, resolvedPath }) =>
      this.#setAttributes(systemPath, resolvedPath, to),
    )
  }

  watch(paths: readonly string[], changed: (path: string | undefined) => void): Watch {
    return watchPaths(this.#root, paths, changed)
  }

  async #setAttributes(
    systemPath: string,
    resolvedPath: string,
    desired: NewDirectory,
  ): Promise<void> {
    requireFileOrDirectory(await this.#disk.lstat(systemPath), resolvedPath)
    const file = await this.#disk.open(systemPath, openFlags.read)
    await closing(file, async () => {
      await this.#attributes.set(file, resolvedPath, desired)
      await file.sync()
    })
  }

  async #entry(systemPath: string, resolvedPath: string): Promise<Entry> {
    const stats = await this.#disk.lstat(systemPath)
    const { mode, uid, gid } = this.#attributes.of(stats, resolvedPath)
    if (stats.isFile()) return { type: 'file', mode, size: stats.size, uid, gid }
    if (stats.isDirectory()) return { type: 'directory', mode, uid, gid }
    if (!stats.isSymbolicLink()) return { type: 'other' }
    return { type: 'symlink', target: await this.#disk.readlink(systemPath), uid, gid }
  }

  /** Throws unless the path is absent, a file or a link. */
  async #requireReplaceable({ systemPath }: PathHandle, path: string): Promise<Stats | undefined> {
    const stats = await orAbsent(() => this.#disk.lstat(systemPath))
    if (stats && !stats.isSymbolicLink()) requireRegularFile(stats, path)
    return stats
  }
}

const visibleToOthers = (systemPath: string): string =>
  systemPath.replace(/^\/proc\/self\//, `/proc/${process.pid}/`)

const notEmptyCodes = new Set(['ENOTEMPTY', 'EEXIST', 'ENOTDIR'])
