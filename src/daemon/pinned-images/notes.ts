import { isObject, jsonOrUndefined } from '@machinist/core/encoding/json'
import { nodePaths } from '../../api/node-paths.ts'
import type { HostFiles } from '../host/host.ts'
import type { ImageSet } from './image-sets.ts'

/** State for the next daemon. If it is lost, it can be read from the API and the runtime again. */
export interface PinnedImagesNotes {
  /** The digest of the sets. */
  readonly digest: string
  readonly sets: readonly ImageSet[]
  /** The digest of the images that were last pinned in the runtime; absent: none. */
  readonly kept?: string
}

const attributes = { mode: 0o644, uid: 0, gid: 0 }
const mostBytes = 64 * 1024 * 1024

/** The notes on disk, read once. */
export class NotesFile {
  readonly #files: HostFiles
  #notes: PinnedImagesNotes | undefined
  #isRead = false

  constructor(files: HostFiles) {
    this.#files = files
  }

  get notes(): PinnedImagesNotes | undefined {
    return this.#notes
  }

  /** Invalid notes count as absent. */
  async read(): Promise<void> {
    if (this.#isRead) return
    const path = nodePaths.pinnedImagesNotes
    if ((await this.#files.stat(path))?.type === 'file') {
      this.#notes = notesIn(Buffer.from(await this.#files.read(path, mostBytes)).toString())
    }
    this.#isRead = true
  }

  async write(notes: PinnedImagesNotes): Promise<void> {
    for (const path of ['/etc', nodePaths.state]) {
      await this.#files.makeDirectory(path, { ...attributes, mode: 0o755 })
    }
    const content = Buffer.from(JSON.stringify(notes))
    await this.#files.write(nodePaths.pinnedImagesNotes, { content, ...attributes })
    this.#notes = notes
  }

  async remove(): Promise<void> {
    await this.#files.remove(nodePaths.pinnedImagesNotes)
    this.#notes = undefined
  }
}

export function notesIn(text: string): PinnedImagesNotes | undefined {
  const value = jsonOrUndefined(text)
  if (!isObject(value)) return undefined
  const { digest, sets, kept } = value
  if (typeof digest !== 'string' || !Array.isArray(sets) || !sets.every(isSet)) return undefined
  return { digest, sets, ...(typeof kept === 'string' && { kept }) }
}

function isSet(value: unknown): value is ImageSet {
  if (!isObject(value)) return false
  const { name, uid, generation, images } = value
  return (
    typeof name === 'string' &&
    typeof uid === 'string' &&
    typeof generation === 'number' &&
    Array.isArray(images) &&
    images.every((image) => typeof image === 'string')
  )
}
