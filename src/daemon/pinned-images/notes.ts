import { nodePaths } from '../../api/node-paths.ts'
import { isObject, jsonOrUndefined } from '@machinist/core/json'
import type { HostFiles } from '../host/host.ts'
import type { ImageSet } from './image-sets.ts'

/** What a daemon that takes over has to know. All of it can be found out again, at the price of questions. */
export interface Notes {
  /** Of these sets, as they were read. */
  readonly digest: string
  readonly sets: readonly ImageSet[]
  /** Of the list of images that the runtime was last told to keep, written when it had been told; absent: none. */
  readonly kept?: string
}

const usual = { mode: 0o644, uid: 0, gid: 0 }
const mostBytes = 64 * 1024 * 1024

/** The notes on disk, read once. */
export class NoteBook {
  readonly #files: HostFiles
  #notes: Notes | undefined
  #isRead = false

  constructor(files: HostFiles) {
    this.#files = files
  }

  get notes(): Notes | undefined {
    return this.#notes
  }

  /** What cannot be understood counts as nothing. */
  async read(): Promise<void> {
    if (this.#isRead) return
    const path = nodePaths.pinnedImagesNotes
    if ((await this.#files.look(path))?.type === 'file') {
      this.#notes = notesIn(Buffer.from(await this.#files.read(path, mostBytes)).toString())
    }
    this.#isRead = true
  }

  async write(notes: Notes): Promise<void> {
    for (const path of ['/etc', nodePaths.state]) {
      await this.#files.makeDirectory(path, { ...usual, mode: 0o755 })
    }
    const content = Buffer.from(JSON.stringify(notes))
    await this.#files.write(nodePaths.pinnedImagesNotes, { content, ...usual })
    this.#notes = notes
  }

  async remove(): Promise<void> {
    await this.#files.remove(nodePaths.pinnedImagesNotes)
    this.#notes = undefined
  }
}

export function notesIn(text: string): Notes | undefined {
  const said = jsonOrUndefined(text)
  if (!isObject(said)) return undefined
  const { digest, sets, kept } = said
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
