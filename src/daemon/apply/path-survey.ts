import { nodePaths, noOriginalPath, originalPath } from '../../api/node-paths.ts'
import { sha256Hex } from '@machinist/core/digest'
import { sameJson } from '@machinist/core/json'
import type { HostFiles, NewDirectory } from '../host/host.ts'
import { HostFailure } from '../host/host-failure.ts'
import type { ConfigContents } from './config-contents.ts'
import { directoriesAbove, usualDirectory } from './directories.ts'
import { emptiedDirectories } from './emptied-directories.ts'
import type {
  Backup,
  ConfigSource,
  ContentSource,
  Intent,
  NotedDirectory,
  PathChange,
  PathState,
} from './intent.ts'
import { registeredDirectories } from './made-directories.ts'
import { absent, foundAt } from './path-state.ts'
import { refuseObstacles } from './obstacles.ts'
import { stateFile } from './state-files.ts'

export type PathParts = Pick<Intent, 'removed' | 'emptied' | 'made' | 'written' | 'stored'>

/** How many bytes of files may stand in the intent itself: one file to flush instead of many. */
const mostNoted = 256 * 1024

const privateDirectory: NewDirectory = { mode: 0o700, uid: 0, gid: 0 }

/** Collects what will happen to each path, and what is there now. */
export class PathSurvey {
  readonly #files: HostFiles
  readonly #current: ConfigContents
  /** Paths that the config of before put there itself. */
  readonly #managed: ReadonlyMap<string, ConfigSource | undefined>
  /** Where in that config the content of a path is. */
  readonly #sources: Map<string, ConfigSource | undefined>
  /** Paths as they are now. */
  readonly #looked = new Map<string, PathChange>()
  readonly #changes = new Map<string, PathChange>()
  readonly #stored = new Map<string, PathChange>()
  readonly #made = new Map<string, NotedDirectory>()
  readonly #seen = new Set<string>()
  #copies = 0
  #noted = 0

  constructor(files: HostFiles, current: ConfigContents) {
    this.#files = files
    this.#current = current
    this.#managed = current.paths()
    this.#sources = new Map(this.#managed)
  }

  /** What is there and is nobody's of ours is kept, to be given back when no config wants the path any more. */
  async put(path: string, after: PathState, content?: ContentSource): Promise<void> {
    if (!this.#managed.has(path) && !(await this.#isKept(path))) await this.#keep(path)
    await this.replace(path, after, content)
  }

  /** As `put`, for paths whose former content nobody wants back. */
  async replace(path: string, after: PathState, content?: ContentSource): Promise<void> {
    if (after.type !== 'absent') await this.#makeAbove(path, usualDirectory)
    await this.#change(this.#changes, path, after, content)
  }

  /** Nobody wants back what is there, which may be what the config of before says. */
  async remove(path: string, source?: ConfigSource): Promise<void> {
    if (source) this.#sources.set(path, source)
    await this.replace(path, absent)
  }

  /** The config does not want this path any more: what was there before it is there again. */
  async giveBack(path: string): Promise<void> {
    const kept = originalPath(path)
    const { before, backup } = await this.#found(kept)
    await this.replace(path, before, backup && { from: 'backup', backup })
    await this.replace(kept, absent)
    await this.replace(noOriginalPath(path), absent)
  }

  /** A file that is there is for its owner alone. */
  async close(path: string): Promise<void> {
    const { before, backup } = await this.#found(path)
    if (before.type !== 'file' || !backup || this.#changes.has(path)) return
    await this.replace(path, { ...before, mode: before.mode & 0o600 }, { from: 'backup', backup })
  }

  async store(path: string, after: PathState, content?: ContentSource): Promise<void> {
    if (after.type !== 'absent') await this.#makeAbove(path, usualDirectory)
    await this.#change(this.#stored, path, after, content)
  }

  /** A file of keys. The user's home, and the directories between it and the file, are that user's alone. */
  async own(path: string, directory: NewDirectory, home: string): Promise<void> {
    const { uid } = directory
    this.#sources.set(path, { from: 'keys' })
    const inside = directoriesAbove(path).filter((each) => each.startsWith(`${home}/`))
    for (const above of [home, ...inside]) {
      const entry = await this.#files.look(above)
      this.#seen.add(above)
      if (entry === undefined) {
        await this.#makeAbove(above, usualDirectory)
        this.#made.set(above, { path: above, ...directory })
      } else if (above === home) {
        continue
      } else if (entry.type !== 'directory' || (entry.uid !== uid && entry.uid !== 0)) {
        throw new HostFailure(`${above} must be a directory of the user ${uid}; remove it`, 'EPERM')
      }
    }
  }

  async finish(): Promise<PathParts> {
    const registry = await registeredDirectories(this.#files)
    const emptied = await emptiedDirectories(
      this.#files,
      registry,
      [...this.#changes.values()],
      this.#made,
    )
    await this.#register(registry, emptied)
    const changes = [...this.#changes.values()].filter(isChange)
    const removed = changes.filter(({ after }) => after.type === 'absent')
    const written = changes.filter(({ after }) => after.type !== 'absent')
    const made = [...this.#made.values()]
    await refuseObstacles(this.#files, { removed, emptied, made, written })
    return { removed, emptied, made, written, stored: [...this.#stored.values()].filter(isChange) }
  }

  async #isKept(path: string): Promise<boolean> {
    const original = await this.#files.look(originalPath(path))
    return original !== undefined || (await this.#files.look(noOriginalPath(path))) !== undefined
  }

  async #keep(path: string): Promise<void> {
    const entry = await this.#files.look(path)
    if (entry === undefined || entry.type === 'directory') {
      const stamp = stateFile(new Uint8Array())
      return this.replace(noOriginalPath(path), stamp, { from: 'text', text: '' })
    }
    const kept = originalPath(path)
    await this.#makeAbove(nodePaths.originals, usualDirectory)
    await this.#makeAbove(kept, privateDirectory)
    const { before, backup } = await this.#found(path)
    await this.replace(kept, before, backup && { from: 'backup', backup })
  }

  async #change(
    changes: Map<string, PathChange>,
    path: string,
    after: PathState,
    content?: ContentSource,
  ): Promise<void> {
    const { content: _, ...known } = changes.get(path) ?? (await this.#found(path))
    changes.set(path, { ...known, after, ...(content && after.type === 'file' && { content }) })
  }

  async #found(path: string): Promise<PathChange> {
    const known = this.#looked.get(path)
    if (known) return known
    const found = await this.#look(path)
    this.#looked.set(path, found)
    return found
  }

  async #look(path: string): Promise<PathChange> {
    const entry = await this.#files.look(path)
    // Whether it will be gone by then is seen at the end.
    if (entry?.type === 'directory') return { path, before: absent, after: absent }
    const { state, content } = await foundAt(this.#files, path)
    const backup = content && { backup: this.#backup(path, content) }
    return { path, before: state, ...backup, after: state }
  }

  #backup(path: string, content: Uint8Array): Backup {
    const digest = sha256Hex(content)
    const source = this.#sources.get(path)
    if (source && sha256Hex(this.#current.content(source)) === digest) {
      return { in: 'current', source }
    }
    if (this.#noted + content.length > mostNoted) {
      return { in: 'copy', number: this.#copies++, path, digest }
    }
    this.#noted += content.length
    return { in: 'note', base64: Buffer.from(content).toString('base64') }
  }

  async #makeAbove(path: string, how: NewDirectory): Promise<void> {
    for (const above of directoriesAbove(path)) {
      if (this.#seen.has(above)) continue
      this.#seen.add(above)
      const entry = await this.#files.look(above)
      // A link leads to a directory, or writing will fail; anything else is an obstacle, unless it goes.
      if (entry?.type === 'directory' || entry?.type === 'symlink') continue
      this.#made.set(above, { path: above, ...how })
    }
  }

  async #register(registry: readonly string[], emptied: readonly NotedDirectory[]): Promise<void> {
    const gone = new Set(emptied.map(({ path }) => path))
    const now = new Set([...registry.filter((path) => !gone.has(path)), ...this.#made.keys()])
    const text = JSON.stringify([...now].sort())
    const after = now.size === 0 ? absent : stateFile(Buffer.from(text))
    await this.store(nodePaths.madeDirectories, after, { from: 'text', text })
  }
}

/** Same state means same content: a file's digest is part of it. */
const isChange = ({ before, after }: PathChange): boolean => !sameJson(before, after)
