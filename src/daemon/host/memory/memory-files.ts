import { isTemporaryName } from '../files/temporary-name.ts'
import type { Entry, HostFiles, NewDirectory, NewFile, Watch } from '../host.ts'
import { HostFailure } from '../host-failure.ts'
import { childOf, isCleanName, nameOf, parentOf, partsOf } from '../paths.ts'
import type { PathNode } from '../files/resolve-path.ts'
import { resolvePath } from '../files/resolve-path.ts'
import { MemoryWatches } from './memory-watches.ts'
import type { StoredEntry, StoredDirectory } from './stored-entry.ts'
import {
  copyBytes,
  pathFailure,
  newDirectory,
  newFile,
  requireFileOrLink,
  requireRegularFile,
  defaultDirectory,
} from './stored-entry.ts'

/** An in-memory file system, for simulations with hundreds of machines. */
export class MemoryFiles implements HostFiles {
  readonly #entries = new Map<string, StoredEntry>([['/', newDirectory(defaultDirectory)]])
  readonly #watches = new MemoryWatches((path) => this.#nodeAt(path))

  async stat(path: string): Promise<Entry | undefined> {
    const stored = this.#stored(path)
    switch (stored?.type) {
      case 'file': {
        const { content: _, ...entry } = stored
        return entry
      }
      case 'directory': {
        const { names: _, ...entry } = stored
        return entry
      }
      case 'symlink':
      case 'other':
      case undefined:
        return stored
    }
  }

  async read(path: string, limit = Infinity): Promise<Uint8Array> {
    const entry = this.#entries.get(this.#resolve(path))
    if (!entry) throw pathFailure(path, 'ENOENT', 'does not exist')
    const { content, size } = requireRegularFile(entry, path)
    if (size > limit) throw pathFailure(path, 'EFBIG', `is larger than ${limit} bytes`)
    return copyBytes(content)
  }

  async list(path: string): Promise<string[]> {
    const here = this.#entries.get(path)
    if (here?.type === 'directory') return [...here.names].sort()
    partsOf(path)
    // Resolve a child, because `list` follows a link in the last part.
    const child = this.#resolveOrUndefined(childOf(path, 'x'))
    const directory = child === undefined ? undefined : this.#entries.get(parentOf(child))
    return directory?.type === 'directory' ? [...directory.names].sort() : []
  }

  async write(path: string, { content, mode, uid, gid }: NewFile): Promise<void> {
    this.#replace(path, newFile({ mode, uid, gid }, copyBytes(content)))
  }

  async append(path: string, content: Uint8Array): Promise<void> {
    const resolved = this.#resolve(path)
    const before = this.#entries.get(resolved)
    if (!before)
      return this.#put(resolved, newFile({ mode: 0o600, uid: 0, gid: 0 }, copyBytes(content)))
    const file = requireRegularFile(before, path)
    this.#put(resolved, newFile(file, Buffer.concat([file.content, content])))
  }

  async link(path: string, target: string): Promise<void> {
    this.#replace(path, { type: 'symlink', target, uid: 0, gid: 0 })
  }

  async remove(path: string): Promise<void> {
    const resolved = this.#resolveOrUndefined(path)
    const entry = resolved === undefined ? undefined : this.#entries.get(resolved)
    if (resolved === undefined || entry === undefined) return
    if (entry.type === 'directory') throw pathFailure(path, 'EISDIR', 'is a directory')
    this.#delete(resolved)
  }

  /** Operations are atomic here, so there are no leftovers. */
  async tidy(): Promise<void> {}

  async move(from: string, to: string): Promise<void> {
    const source = this.#resolve(from)
    const target = this.#resolve(to)
    const entry = this.#entries.get(source)
    const there = this.#entries.get(target)
    if (there) requireFileOrLink(there, to)
    if (!entry && there) return
    if (!entry) throw pathFailure(from, 'ENOENT', 'does not exist')
    requireFileOrLink(entry, from)
    if (source === target) return
    this.#put(target, entry)
    this.#delete(source)
  }

  async makeDirectory(path: string, directory: NewDirectory): Promise<void> {
    const resolved = this.#resolve(path)
    const entry = this.#entries.get(resolved)
    if (entry?.type === 'directory' || entry?.type === 'symlink') return
    if (entry) throw pathFailure(path, 'EEXIST', 'exists and is not a directory')
    this.#put(resolved, newDirectory(directory))
  }

  async removeDirectory(path: string): Promise<boolean> {
    const resolved = this.#resolveOrUndefined(path)
    const entry = resolved === undefined ? undefined : this.#entries.get(resolved)
    if (resolved === undefined || entry === undefined) return true
    if (entry.type !== 'directory' || entry.names.size > 0) return false
    this.#delete(resolved)
    return true
  }

  async change(path: string, { mode, uid, gid }: NewDirectory): Promise<void> {
    const resolved = this.#resolve(path)
    const entry = this.#entries.get(resolved)
    if (!entry) throw pathFailure(path, 'ENOENT', 'does not exist')
    if (entry.type !== 'directory') requireRegularFile(entry, path)
    this.#put(resolved, { ...entry, mode, uid, gid } as StoredEntry)
  }

  watch(paths: readonly string[], changed: (path: string | undefined) => void): Watch {
    return this.#watches.open(paths, changed)
  }

  /** Creates any entry, with its parents: also devices and links of other users, which the daemon never creates. */
  seed(path: string, entry: Exclude<Entry, { type: 'file' }> | NewFile): void {
    const above = parentOf(path)
    if (!this.#entries.has(above)) this.seed(above, { type: 'directory', ...defaultDirectory })
    if ('content' in entry) return this.#put(path, newFile(entry, copyBytes(entry.content)))
    this.#put(path, entry.type === 'directory' ? newDirectory(entry) : entry)
  }

  #replace(path: string, entry: StoredEntry): void {
    const resolved = this.#resolve(path)
    const before = this.#entries.get(resolved)
    if (before) requireFileOrLink(before, path)
    if (isTemporaryName(nameOf(resolved))) {
      throw pathFailure(path, 'EINVAL', 'names like this are reserved')
    }
    this.#put(resolved, entry)
  }

  #put(resolved: string, entry: StoredEntry): void {
    this.#entries.set(resolved, entry)
    if (resolved !== '/') this.#namesAbove(resolved).add(nameOf(resolved))
    this.#watches.notify(resolved)
  }

  #delete(resolved: string): void {
    this.#entries.delete(resolved)
    this.#namesAbove(resolved).delete(nameOf(resolved))
    this.#watches.notify(resolved)
  }

  #namesAbove(resolved: string): Set<string> {
    return (this.#entries.get(parentOf(resolved)) as StoredDirectory).names
  }

  #stored(path: string): StoredEntry | undefined {
    return this.#entries.get(this.#resolveOrUndefined(path) ?? '')
  }

  #resolve(path: string): string {
    if (path === '/') throw new HostFailure('the root itself cannot be replaced', 'EINVAL')
    if (this.#isResolved(path)) return path
    const { resolvedPath, passed } = this.#resolvePath(path)
    if (resolvedPath !== undefined) return resolvedPath
    const isBlocked = this.#entries.has(passed.at(-1)!)
    if (isBlocked) throw pathFailure(path, 'ENOTDIR', 'a part of the path is not a directory')
    throw pathFailure(path, 'ENOENT', 'does not exist')
  }

  #resolveOrUndefined(path: string): string | undefined {
    return this.#isResolved(path) ? path : this.#resolvePath(path).resolvedPath
  }

  /** A shortcut for `#resolve`: a path whose parent is a directory needs no resolution, if its name is short. */
  #isResolved(path: string): boolean {
    const name = nameOf(path)
    const isUsual = path.startsWith('/') && isCleanName(name) && name.length < 64
    return isUsual && this.#entries.get(parentOf(path))?.type === 'directory'
  }

  #resolvePath(path: string): ReturnType<typeof resolvePath> {
    const resolution = resolvePath(path, (each) => this.#nodeAt(each))
    const isTooLong = resolution.passed.some((each) => Buffer.byteLength(nameOf(each)) > 255)
    if (isTooLong) throw pathFailure(path, 'ENAMETOOLONG', 'the name is too long')
    return resolution
  }

  #nodeAt(path: string): PathNode {
    const entry = this.#entries.get(path)
    return entry?.type === 'directory' || entry?.type === 'symlink' ? entry : undefined
  }
}
