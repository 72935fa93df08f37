import type { Json } from '@machinist/core/encoding/json'
import { canonicalJson, isObject, jsonOrUndefined } from '@machinist/core/encoding/json'
import type { Logger } from '@machinist/core/log'
import { nodePaths } from '../../../api/node-paths.ts'
import type { CertificateDelivery, TrustItem } from '../../../api/trust/items.ts'
import type { HostFiles } from '../../host/host.ts'
import type { ItemNotes } from './item.ts'
import { makeDirectoriesAbove } from './trust-file.ts'

interface Content {
  readonly delivery?: CertificateDelivery
  /** The files that the lane owns, by path. */
  readonly files: Readonly<Record<string, Owned>>
  /** The desired digest of each registry's file. */
  readonly registries: Readonly<Record<string, string>>
  readonly notes: Readonly<Partial<Record<TrustItem, Json>>>
}

interface Owned {
  readonly writtenAt?: string
}

const nothing: Content = { files: {}, registries: {}, notes: {} }
const mostBytes = 4 * 1024 * 1024
const mostReads = 5

/**
 * The state of the trust lane beyond the delivered files: above all, which files it owns. If the ledger is lost or damaged,
 * the lane starts with an empty one and takes ownership of current files again. A failed write never stops a delivery.
 */
export class Ledger {
  readonly #files: HostFiles
  readonly #log: Logger
  #content = nothing
  #saved = canonicalJson(nothing)
  /** Reads left before the ledger counts as lost. */
  #readsLeft = mostReads

  private constructor(files: HostFiles, log: Logger) {
    this.#files = files
    this.#log = log
  }

  static async open(files: HostFiles, log: Logger): Promise<Ledger> {
    const ledger = new Ledger(files, log)
    await ledger.read()
    return ledger
  }

  /** The ledger could not be read yet: it is not overwritten until then. */
  get isUnread(): boolean {
    return this.#readsLeft > 0
  }

  /** Returns whether this call read the ledger for the first time, or gave up on it. */
  async read(): Promise<boolean> {
    if (!this.isUnread) return false
    this.#readsLeft--
    try {
      const content = await stored(this.#files, this.#log)
      this.#saved = canonicalJson(content)
      this.#content = { ...content, ...meanwhile(this.#content, content) }
      this.#readsLeft = 0
    } catch (error) {
      this.#log.error('cannot read the trust ledger', error)
    }
    return !this.isUnread
  }

  get delivery(): CertificateDelivery | undefined {
    return this.#content.delivery
  }

  get registries(): Readonly<Record<string, string>> {
    return this.#content.registries
  }

  owns(path: string): boolean {
    return Object.hasOwn(this.#content.files, path)
  }

  owned(): readonly string[] {
    return Object.keys(this.#content.files)
  }

  writtenAt(path: string): string | undefined {
    return this.owns(path) ? this.#content.files[path]?.writtenAt : undefined
  }

  setDelivery(delivery: CertificateDelivery): void {
    this.#content = { ...this.#content, delivery }
  }

  setRegistries(registries: Readonly<Record<string, string>>): void {
    this.#content = { ...this.#content, registries }
  }

  /** Called before the first write, so that a daemon that is killed during it can still remove the file later. */
  async claim(paths: readonly string[]): Promise<void> {
    const fresh = paths.filter((path) => !this.owns(path))
    if (fresh.length === 0) return
    for (const path of fresh) this.#own(path, {})
    await this.save()
  }

  /** Takes ownership of a current file, whichever writer wrote it. */
  adopt(path: string): void {
    if (!this.owns(path)) this.#own(path, {})
  }

  recordWrite(path: string, writtenAt: string): void {
    this.#own(path, { writtenAt })
  }

  disown(path: string): void {
    const { [path]: _, ...files } = this.#content.files
    this.#content = { ...this.#content, files }
  }

  notes<T extends Json>(item: TrustItem): ItemNotes<T> {
    return {
      read: () => this.#content.notes[item] as T | undefined,
      write: async (note) => {
        this.#content = { ...this.#content, notes: { ...this.#content.notes, [item]: note } }
        await this.save()
      },
    }
  }

  /** Writes the ledger if it differs from the one on disk. */
  async save(): Promise<void> {
    const text = canonicalJson(this.#content)
    if (text === this.#saved || this.isUnread) return
    const content = Buffer.from(`${text}\n`)
    try {
      await makeDirectoriesAbove(this.#files, nodePaths.trust)
      await this.#files.write(nodePaths.trust, { content, mode: 0o600, uid: 0, gid: 0 })
      this.#saved = text
    } catch (error) {
      this.#log.error('cannot write the trust ledger', error)
    }
  }

  #own(path: string, owned: Owned): void {
    this.#content = { ...this.#content, files: { ...this.#content.files, [path]: owned } }
  }
}

/** Merges what was added before the ledger could be read. */
function meanwhile(added: Content, read: Content): Partial<Content> {
  if (added === nothing) return {}
  const { files, registries, notes, ...others } = added
  return {
    ...others,
    files: { ...read.files, ...files },
    registries: { ...read.registries, ...registries },
    notes: { ...read.notes, ...notes },
  }
}

async function stored(files: HostFiles, log: Logger): Promise<Content> {
  if ((await files.stat(nodePaths.trust)) === undefined) return nothing
  const text = Buffer.from(await files.read(nodePaths.trust, mostBytes)).toString()
  const content = contentIn(jsonOrUndefined(text))
  if (content) return content
  log.info('the trust ledger is damaged, starting with an empty one', { path: nodePaths.trust })
  return nothing
}

function contentIn(value: unknown): Content | undefined {
  if (!isObject(value)) return undefined
  const { delivery, files, registries, notes } = value
  if (!isObject(files) || !isObject(registries) || !isObject(notes)) return undefined
  if (!Object.values(files).every(isObject)) return undefined
  if (!Object.values(registries).every((digest) => typeof digest === 'string')) return undefined
  return {
    ...((delivery === 'direct' || delivery === 'rendered') && { delivery }),
    files: files as Content['files'],
    registries: registries as Content['registries'],
    notes,
  }
}
