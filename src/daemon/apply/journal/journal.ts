import { gunzip, gzip } from '@machinist/core/encoding/bytes'
import { sha256Hex } from '@machinist/core/encoding/digest'
import { nodePaths } from '../../../api/node-paths.ts'
import type { HostFiles } from '../../host/host.ts'
import { HostFailure } from '../../host/host-failure.ts'
import { parentsFirst } from '../machine/directories.ts'
import type { Backup, Intent } from '../intent.ts'
import { maxFileBytes } from '../../verify/compare-file.ts'
import type { Mark } from './marks.ts'
import { marksIn } from './marks.ts'

export interface JournalRecord {
  readonly intent: Intent
  readonly marks: readonly Mark[]
}

/** Compressed: it holds two whole configs that differ in little. */
const intentPath = `${nodePaths.journal}/intent.json.gz`
const logPath = `${nodePaths.journal}/log`
const copyPath = (number: number): string => `${nodePaths.journal}/copy-${number}`

/** Contents may be secrets. */
const secretFile = { mode: 0o600, uid: 0, gid: 0 }
const privateDirectory = { mode: 0o700, uid: 0, gid: 0 }
const publicDirectory = { mode: 0o755, uid: 0, gid: 0 }

/**
 * The record of the update in progress. The intent file alone marks its begin and end: other files without it are
 * leftovers.
 */
export class Journal {
  readonly #files: HostFiles

  constructor(files: HostFiles) {
    this.#files = files
  }

  async exists(): Promise<boolean> {
    return (await this.#files.stat(intentPath)) !== undefined
  }

  async read(): Promise<JournalRecord | undefined> {
    if (!(await this.exists())) return undefined
    const intent = parseIntent(await this.#files.read(intentPath, Number.MAX_SAFE_INTEGER))
    return { intent, marks: await this.#marks() }
  }

  /** Once the intent is on disk, the update is either completed or rolled back. */
  async begin(intent: Intent): Promise<void> {
    await this.sweep()
    for (const path of parentsFirst(nodePaths.journal)) {
      await this.#files.makeDirectory(
        path,
        path === nodePaths.journal ? privateDirectory : publicDirectory,
      )
    }
    for (const copy of requiredCopies(intent)) await this.#copy(copy)
    const content = gzip(Buffer.from(JSON.stringify(intent)))
    await this.#files.write(intentPath, { content, ...secretFile })
  }

  /** Makes an intent that an earlier process wrote durable, even if the power fails. */
  async secure(): Promise<void> {
    await this.#files.tidy(intentPath)
  }

  copy(number: number): Promise<Uint8Array> {
    return this.#files.read(copyPath(number), maxFileBytes)
  }

  async mark(mark: Mark): Promise<void> {
    // The leading newline ends a line that a crash cut off.
    await this.#files.append(logPath, Buffer.from(`\n${JSON.stringify(mark)}\n`))
  }

  async end(): Promise<void> {
    await this.#files.remove(intentPath)
    await this.sweep()
  }

  /** Removes leftovers of an ended journal. */
  async sweep(): Promise<void> {
    if (await this.exists()) return
    for (const name of await this.#files.list(nodePaths.journal)) {
      await this.#files.remove(`${nodePaths.journal}/${name}`)
    }
    await this.#files.removeDirectory(nodePaths.journal)
  }

  async #copy({ path, number, digest }: Copy): Promise<void> {
    const content = await this.#files.read(path, maxFileBytes)
    if (sha256Hex(content) !== digest) {
      throw new HostFailure(`${path} changed while the update was prepared`, 'EAGAIN')
    }
    await this.#files.write(copyPath(number), { content, ...secretFile })
  }

  async #marks(): Promise<Mark[]> {
    if ((await this.#files.stat(logPath)) === undefined) return []
    const log = await this.#files.read(logPath, maxFileBytes)
    return marksIn(Buffer.from(log).toString())
  }
}

type Copy = Extract<Backup, { in: 'copy' }>

/** The copies that a rollback, or the restore of an original file, needs. */
function requiredCopies({ removed, written, stored }: Intent): Copy[] {
  const copies = new Map<number, Copy>()
  for (const { backup, content } of [...removed, ...written, ...stored]) {
    const backups = [backup, content?.from === 'backup' ? content.backup : undefined]
    for (const each of backups) if (each?.in === 'copy') copies.set(each.number, each)
  }
  return [...copies.values()]
}

function parseIntent(packed: Uint8Array): Intent {
  const intent = parseJson(packed)
  if (intent.format !== 1) {
    const format = JSON.stringify(intent.format)
    throw new HostFailure(
      `${intentPath} has the unknown format ${format}: run the version of the daemon that wrote it to finish the update`,
      'EBADMSG',
    )
  }
  return intent
}

const maxIntentBytes = 1024 * 1024 * 1024

/** Hides the message of JSON.parse, which quotes the text and may hold secrets. */
function parseJson(packed: Uint8Array): Intent {
  try {
    const text = Buffer.from(gunzip(packed, maxIntentBytes)).toString()
    return JSON.parse(text) as Intent
  } catch {
    throw new HostFailure(
      `${intentPath} is damaged, so the update can neither be finished nor rolled back: check that the machine is healthy, then remove ${nodePaths.journal}`,
      'EBADMSG',
    )
  }
}
