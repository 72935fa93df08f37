import { nodePaths } from '../../api/node-paths.ts'
import type { CertificateDelivery, TrustItem } from '../../api/trust/items.ts'
import type { Json } from '@machinist/core/json'
import { canonicalJson, isObject, jsonOrUndefined } from '@machinist/core/json'
import type { Logger } from '@machinist/core/log'
import type { HostFiles } from '../host/host.ts'
import type { Notes } from './item.ts'
import { makeDirectoriesAbove } from './trust-file.ts'

interface Content {
  readonly delivery?: CertificateDelivery
  /** What is ours on this disk, by path. */
  readonly files: Readonly<Record<string, Owned>>
  /** The digest that each registry's file shall have. */
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
 * What the trust lane has to remember beyond what the disk itself tells: above all, what on it is its own. Lost or damaged, it begins anew: what is wanted and there becomes its own again. That it cannot be written is
 * never a reason not to deliver.
 */
export class Ledger {
  readonly #files: HostFiles
  readonly #log: Logger
  #content = nothing
  #saved = canonicalJson(nothing)
  /** How often it will still be tried to read it before it counts as lost. */
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

  /** The disk did not let it be read yet: what it says may come later, and is not written over until then. */
  get isUnread(): boolean {
    return this.#readsLeft > 0
  }

  /** Tells whether it is known now what it says, which it was not before. */
  async read(): Promise<boolean> {
    if (!this.isUnread) return false
    this.#readsLeft--
    try {
      const content = await stored(this.#files, this.#log)
      this.#saved = canonicalJson(content)
      this.#content = { ...content, ...meanwhile(this.#content, content) }
      this.#readsLeft = 0
    } catch (error) {
      this.#log.error('cannot read what the trust lane remembered', error)
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

  delivers(delivery: CertificateDelivery): void {
    this.#content = { ...this.#content, delivery }
  }

  wantRegistries(registries: Readonly<Record<string, string>>): void {
    this.#content = { ...this.#content, registries }
  }

  /** Before the first write, so that whoever dies in the middle of it still knows later what to take away. */
  async claim(paths: readonly string[]): Promise<void> {
    const fresh = paths.filter((path) => !this.owns(path))
    if (fresh.length === 0) return
    for (const path of fresh) this.#own(path, {})
    await this.save()
  }

  /** It is as it shall be, whoever wrote it: from now on it is ours. */
  adopt(path: string): void {
    if (!this.owns(path)) this.#own(path, {})
  }

  wrote(path: string, writtenAt: string): void {
    this.#own(path, { writtenAt })
  }

  disown(path: string): void {
    const { [path]: _, ...files } = this.#content.files
    this.#content = { ...this.#content, files }
  }

  notes<T extends Json>(item: TrustItem): Notes<T> {
    return {
      read: () => this.#content.notes[item] as T | undefined,
      write: async (note) => {
        this.#content = { ...this.#content, notes: { ...this.#content.notes, [item]: note } }
        await this.save()
      },
    }
  }

  /** Writes it if it says something else than on the disk. */
  async save(): Promise<void> {
    const text = canonicalJson(this.#content)
    if (text === this.#saved || this.isUnread) return
    const content = Buffer.from(`${text}\n`)
    try {
      await makeDirectoriesAbove(this.#files, nodePaths.trust)
      await this.#files.write(nodePaths.trust, { content, mode: 0o600, uid: 0, gid: 0 })
      this.#saved = text
    } catch (error) {
      this.#log.error('cannot keep what the trust lane remembers', error)
    }
  }

  #own(path: string, owned: Owned): void {
    this.#content = { ...this.#content, files: { ...this.#content.files, [path]: owned } }
  }
}

/** What was added before it could be read. */
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
  if ((await files.look(nodePaths.trust)) === undefined) return nothing
  const text = Buffer.from(await files.read(nodePaths.trust, mostBytes)).toString()
  const content = contentIn(jsonOrUndefined(text))
  if (content) return content
  log.info('what the trust lane remembered is damaged: it begins anew', { path: nodePaths.trust })
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
