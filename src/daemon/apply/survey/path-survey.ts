import { sha256Hex } from '@machinist/core/encoding/digest'
import { sameJson } from '@machinist/core/encoding/json'
import { nodePaths, noOriginalPath, originalPath } from '../../../api/node-paths.ts'
import type { HostFiles, NewDirectory } from '../../host/host.ts'
import { HostFailure } from '../../host/host-failure.ts'
import type { ConfigContents } from '../journal/config-contents.ts'
import { directoriesAbove, defaultDirectory } from '../machine/directories.ts'
import type {
  Backup,
  ConfigSource,
  ContentSource,
  Intent,
  DirectoryRecord,
  PathChange,
  PathState,
} from '../intent.ts'
import { absentState, getPathState } from '../machine/path-state.ts'
import { findEmptiedDirectories } from './emptied-directories.ts'
import { loadMadeDirectories } from './made-directories.ts'
import { refuseObstacles } from './obstacles.ts'
import { stateFileState } from './state-files.ts'

export type PathParts = Pick<Intent, 'removed' | 'emptied' | 'made' | 'written' | 'stored'>

/** How many bytes of backups the intent may hold inline: one file to flush instead of many. */
const maxInlineBytes = 256 * 1024

const privateDirectory: NewDirectory = { mode: 0o700, uid: 0, gid: 0 }

/** Collects the current and the desired state of every path. */
export class PathSurvey {
  readonly #files: HostFiles
  readonly #current: ConfigContents
  /** Paths that the current config writes. */
  readonly #managed: ReadonlyMap<string, ConfigSource | undefined>
  /** Where the current config holds the content of a path. */
  readonly #sources: Map<string, ConfigSource | undefined>
  /** Current states that were read. */
  readonly #currentStates = new Map<string, PathChange>()
  readonly #changes = new Map<string, PathChange>()
  readonly #stored = new Map<string, PathChange>()
  readonly #made = new Map<string, DirectoryRecord>()
  readonly #seen = new Set<string>()
  #copies = 0
  #inlineBytes = 0

  constructor(files: HostFiles, current: ConfigContents) {
    this.#files = files
    this.#current = current
    this.#managed = current.paths()
    this.#sources = new Map(this.#managed)
  }

  /** Keeps an unmanaged file that is at the path, to restore it when no config writes the path anymore. */
  async put(path: string, after: PathState, content?: ContentSource): Promise<void> {
    if (!this.#managed.has(path) && !(await this.#hasOriginal(path))) await this.#keepOriginal(path)
    await this.replace(path, after, content)
  }

  /** As `put`, but does not keep the previous content. */
  async replace(path: string, after: PathState, content?: ContentSource): Promise<void> {
    if (after.type !== 'absent') await this.#makeAbove(path, defaultDirectory)
    await this.#change(this.#changes, path, after, content)
  }

  /** Removes a path and does not keep its content. `source`: where the current config may hold that content. */
  async remove(path: string, source?: ConfigSource): Promise<void> {
    if (source) this.#sources.set(path, source)
    await this.replace(path, absentState)
  }

  /** No config writes this path anymore: restores what was there before the first config. */
  async restoreOriginal(path: string): Promise<void> {
    const original = originalPath(path)
    const { before, backup } = await this.#currentState(original)
    await this.replace(path, before, backup && { from: 'backup', backup })
    await this.replace(original, absentState)
    await this.replace(noOriginalPath(path), absentState)
  }

  /** Removes the permissions of group and others from an existing file. */
  async restrictToOwner(path: string): Promise<void> {
    const { before, backup } = await this.#currentState(path)
    if (before.type !== 'file' || !backup || this.#changes.has(path)) return
    await this.replace(path, { ...before, mode: before.mode & 0o600 }, { from: 'backup', backup })
  }

  async store(path: string, after: PathState, content?: ContentSource): Promise<void> {
    if (after.type !== 'absent') await this.#makeAbove(path, defaultDirectory)
    await this.#change(this.#stored, path, after, content)
  }

  /** Adds an authorized keys file. The user's home and the directories below it must belong to the user or to root. */
  async addKeysFile(path: string, directory: NewDirectory, home: string): Promise<void> {
    const { uid } = directory
    this.#sources.set(path, { from: 'keys' })
    const inside = directoriesAbove(path).filter((each) => each.startsWith(`${home}/`))
    for (const above of [home, ...inside]) {
      const entry = await this.#files.stat(above)
      this.#seen.add(above)
      if (entry === undefined) {
        await this.#makeAbove(above, defaultDirectory)
        this.#made.set(above, { path: above, ...directory })
      } else if (above === home) {
        continue
      } else if (entry.type !== 'directory' || (entry.uid !== uid && entry.uid !== 0)) {
        throw new HostFailure(
          `${above} is not a directory that user ${uid} or root owns; remove it`,
          'EPERM',
        )
      }
    }
  }

  async finish(): Promise<PathParts> {
    const registry = await loadMadeDirectories(this.#files)
    const emptied = await findEmptiedDirectories(
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

  async #hasOriginal(path: string): Promise<boolean> {
    const original = await this.#files.stat(originalPath(path))
    return original !== undefined || (await this.#files.stat(noOriginalPath(path))) !== undefined
  }

  async #keepOriginal(path: string): Promise<void> {
    const entry = await this.#files.stat(path)
    if (entry === undefined || entry.type === 'directory') {
      const stamp = stateFileState(new Uint8Array())
      return this.replace(noOriginalPath(path), stamp, { from: 'text', text: '' })
    }
    const original = originalPath(path)
    await this.#makeAbove(nodePaths.originals, defaultDirectory)
    await this.#makeAbove(original, privateDirectory)
    const { before, backup } = await this.#currentState(path)
    await this.replace(original, before, backup && { from: 'backup', backup })
  }

  async #change(
    changes: Map<string, PathChange>,
    path: string,
    after: PathState,
    content?: ContentSource,
  ): Promise<void> {
    const { content: _, ...known } = changes.get(path) ?? (await this.#currentState(path))
    changes.set(path, { ...known, after, ...(content && after.type === 'file' && { content }) })
  }

  async #currentState(path: string): Promise<PathChange> {
    const known = this.#currentStates.get(path)
    if (known) return known
    const found = await this.#inspect(path)
    this.#currentStates.set(path, found)
    return found
  }

  async #inspect(path: string): Promise<PathChange> {
    const entry = await this.#files.stat(path)
    // `finish` checks whether the directory is removed.
    if (entry?.type === 'directory') return { path, before: absentState, after: absentState }
    const { state, content } = await getPathState(this.#files, path)
    const backup = content && { backup: this.#backup(path, content) }
    return { path, before: state, ...backup, after: state }
  }

  #backup(path: string, content: Uint8Array): Backup {
    const digest = sha256Hex(content)
    const source = this.#sources.get(path)
    if (source && sha256Hex(this.#current.content(source)) === digest) {
      return { in: 'current', source }
    }
    if (this.#inlineBytes + content.length > maxInlineBytes) {
      return { in: 'copy', number: this.#copies++, path, digest }
    }
    this.#inlineBytes += content.length
    return { in: 'note', base64: Buffer.from(content).toString('base64') }
  }

  async #makeAbove(path: string, directory: NewDirectory): Promise<void> {
    for (const above of directoriesAbove(path)) {
      if (this.#seen.has(above)) continue
      this.#seen.add(above)
      const entry = await this.#files.stat(above)
      // A link must lead to a directory, or the write fails. `finish` rejects anything else that stays.
      if (entry?.type === 'directory' || entry?.type === 'symlink') continue
      this.#made.set(above, { path: above, ...directory })
    }
  }

  async #register(registry: readonly string[], emptied: readonly DirectoryRecord[]): Promise<void> {
    const removed = new Set(emptied.map(({ path }) => path))
    const now = new Set([...registry.filter((path) => !removed.has(path)), ...this.#made.keys()])
    const text = JSON.stringify([...now].sort())
    const after = now.size === 0 ? absentState : stateFileState(Buffer.from(text))
    await this.store(nodePaths.madeDirectories, after, { from: 'text', text })
  }
}

/** Equal states mean equal content: the state of a file includes its digest. */
const isChange = ({ before, after }: PathChange): boolean => !sameJson(before, after)
