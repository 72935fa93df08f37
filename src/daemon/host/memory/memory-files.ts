import { isFreshName } from '../fresh-name.ts'
import type { Entry, HostFiles, NewDirectory, NewFile, Watch } from '../host.ts'
import { HostFailure } from '../host-failure.ts'
import { childOf, isCleanName, nameOf, parentOf, partsOf } from '../paths.ts'
import type { Signpost } from '../way.ts'
import { wayTo } from '../way.ts'
import { MemoryWatches } from './memory-watches.ts'
import type { Stored, StoredDirectory } from './stored.ts'
import {
  copied,
  failure,
  newDirectory,
  newFile,
  refuseIrregular,
  regular,
  usualDirectory,
} from './stored.ts'

/** A file system that exists only here: for machines that are simulated by the hundred. */
export class MemoryFiles implements HostFiles {
  readonly #entries = new Map<string, Stored>([['/', newDirectory(usualDirectory)]])
  readonly #watches = new MemoryWatches((place) => this.#signpost(place))

  async look(path: string): Promise<Entry | undefined> {
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
    const entry = this.#entries.get(this.#place(path))
    if (!entry) throw failure(path, 'ENOENT', 'does not exist')
    const { content, size } = regular(entry, path)
    if (size > limit) throw failure(path, 'EFBIG', `is larger than ${limit} bytes`)
    return copied(content)
  }

  async list(path: string): Promise<string[]> {
    const here = this.#entries.get(path)
    if (here?.type === 'directory') return [...here.names].sort()
    partsOf(path)
    // Of something inside, as the last part is followed here.
    const place = this.#placeOf(childOf(path, 'x'))
    const directory = place === undefined ? undefined : this.#entries.get(parentOf(place))
    return directory?.type === 'directory' ? [...directory.names].sort() : []
  }

  async write(path: string, { content, mode, uid, gid }: NewFile): Promise<void> {
    this.#replace(path, newFile({ mode, uid, gid }, copied(content)))
  }

  async append(path: string, content: Uint8Array): Promise<void> {
    const place = this.#place(path)
    const before = this.#entries.get(place)
    if (!before) return this.#put(place, newFile({ mode: 0o600, uid: 0, gid: 0 }, copied(content)))
    const file = regular(before, path)
    this.#put(place, newFile(file, Buffer.concat([file.content, content])))
  }

  async link(path: string, target: string): Promise<void> {
    this.#replace(path, { type: 'symlink', target, uid: 0, gid: 0 })
  }

  async remove(path: string): Promise<void> {
    const place = this.#placeOf(path)
    const entry = place === undefined ? undefined : this.#entries.get(place)
    if (place === undefined || entry === undefined) return
    if (entry.type === 'directory') throw failure(path, 'EISDIR', 'is a directory')
    this.#delete(place)
  }

  /** Nothing is ever half done here. */
  async tidy(): Promise<void> {}

  async move(from: string, to: string): Promise<void> {
    const source = this.#place(from)
    const target = this.#place(to)
    const entry = this.#entries.get(source)
    const there = this.#entries.get(target)
    if (there) refuseIrregular(there, to)
    if (!entry && there) return
    if (!entry) throw failure(from, 'ENOENT', 'does not exist')
    refuseIrregular(entry, from)
    if (source === target) return
    this.#put(target, entry)
    this.#delete(source)
  }

  async makeDirectory(path: string, directory: NewDirectory): Promise<void> {
    const place = this.#place(path)
    const entry = this.#entries.get(place)
    if (entry?.type === 'directory' || entry?.type === 'symlink') return
    if (entry) throw failure(path, 'EEXIST', 'is there already and is not a directory')
    this.#put(place, newDirectory(directory))
  }

  async removeDirectory(path: string): Promise<boolean> {
    const place = this.#placeOf(path)
    const entry = place === undefined ? undefined : this.#entries.get(place)
    if (place === undefined || entry === undefined) return true
    if (entry.type !== 'directory' || entry.names.size > 0) return false
    this.#delete(place)
    return true
  }

  async change(path: string, { mode, uid, gid }: NewDirectory): Promise<void> {
    const place = this.#place(path)
    const entry = this.#entries.get(place)
    if (!entry) throw failure(path, 'ENOENT', 'does not exist')
    if (entry.type !== 'directory') regular(entry, path)
    this.#put(place, { ...entry, mode, uid, gid } as Stored)
  }

  watch(paths: readonly string[], changed: (path: string | undefined) => void): Watch {
    return this.#watches.open(paths, changed)
  }

  /** Puts there what others than the daemon make, devices and other users' links too, with the directories above. */
  plant(path: string, entry: Exclude<Entry, { type: 'file' }> | NewFile): void {
    const above = parentOf(path)
    if (!this.#entries.has(above)) this.plant(above, { type: 'directory', ...usualDirectory })
    if ('content' in entry) return this.#put(path, newFile(entry, copied(entry.content)))
    this.#put(path, entry.type === 'directory' ? newDirectory(entry) : entry)
  }

  #replace(path: string, entry: Stored): void {
    const place = this.#place(path)
    const before = this.#entries.get(place)
    if (before) refuseIrregular(before, path)
    if (isFreshName(nameOf(place))) {
      throw failure(path, 'EINVAL', 'such names are kept for unfinished files')
    }
    this.#put(place, entry)
  }

  #put(place: string, entry: Stored): void {
    this.#entries.set(place, entry)
    if (place !== '/') this.#namesAbove(place).add(nameOf(place))
    this.#watches.tell(place)
  }

  #delete(place: string): void {
    this.#entries.delete(place)
    this.#namesAbove(place).delete(nameOf(place))
    this.#watches.tell(place)
  }

  #namesAbove(place: string): Set<string> {
    return (this.#entries.get(parentOf(place)) as StoredDirectory).names
  }

  #stored(path: string): Stored | undefined {
    return this.#entries.get(this.#placeOf(path) ?? '')
  }

  #place(path: string): string {
    if (path === '/') throw new HostFailure('the root itself cannot be replaced', 'EINVAL')
    if (this.#isPlace(path)) return path
    const { place, passed } = this.#wayTo(path)
    if (place !== undefined) return place
    const isBlocked = this.#entries.has(passed.at(-1)!)
    if (isBlocked) throw failure(path, 'ENOTDIR', 'something on the way is not a directory')
    throw failure(path, 'ENOENT', 'does not exist')
  }

  #placeOf(path: string): string | undefined {
    return this.#isPlace(path) ? path : this.#wayTo(path).place
  }

  /** Known without going there step by step: above every directory there are only directories. So short, no name is too long. */
  #isPlace(path: string): boolean {
    const name = nameOf(path)
    const isUsual = path.startsWith('/') && isCleanName(name) && name.length < 64
    return isUsual && this.#entries.get(parentOf(path))?.type === 'directory'
  }

  #wayTo(path: string): ReturnType<typeof wayTo> {
    const way = wayTo(path, (place) => this.#signpost(place))
    const isTooLong = way.passed.some((place) => Buffer.byteLength(nameOf(place)) > 255)
    if (isTooLong) throw failure(path, 'ENAMETOOLONG', 'the name is too long')
    return way
  }

  #signpost(place: string): Signpost {
    const entry = this.#entries.get(place)
    return entry?.type === 'directory' || entry?.type === 'symlink' ? entry : undefined
  }
}
