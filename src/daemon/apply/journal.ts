import { nodePaths } from '../../api/node-paths.ts'
import { gunzip, gzip } from '@machinist/core/bytes'
import { sha256Hex } from '@machinist/core/digest'
import type { HostFiles } from '../host/host.ts'
import { HostFailure } from '../host/host-failure.ts'
import { parentsFirst } from './directories.ts'
import type { Backup, Intent } from './intent.ts'
import type { Mark } from './marks.ts'
import { marksIn } from './marks.ts'
import { largestFile } from './path-state.ts'

export interface Noted {
  readonly intent: Intent
  readonly marks: readonly Mark[]
}

/** Packed: it holds two whole configs, of which hardly anything differs. */
const intentPath = `${nodePaths.journal}/intent.json.gz`
const logPath = `${nodePaths.journal}/log`
const copyPath = (number: number): string => `${nodePaths.journal}/copy-${number}`

/** The contents may be secrets. */
const secret = { mode: 0o600, uid: 0, gid: 0 }
const forUs = { mode: 0o700, uid: 0, gid: 0 }
const forAll = { mode: 0o755, uid: 0, gid: 0 }

/**
 * The record of the update that is under way. It begins and ends with one file: what is written before the intent is there,
 * or left after it is gone, counts for nothing.
 */
export class Journal {
  readonly #files: HostFiles

  constructor(files: HostFiles) {
    this.#files = files
  }

  async isThere(): Promise<boolean> {
    return (await this.#files.look(intentPath)) !== undefined
  }

  async read(): Promise<Noted | undefined> {
    if (!(await this.isThere())) return undefined
    const intent = intentIn(await this.#files.read(intentPath, Number.MAX_SAFE_INTEGER))
    return { intent, marks: await this.#marks() }
  }

  /** From here on the update is resumed or undone, whatever happens. */
  async begin(intent: Intent): Promise<void> {
    await this.sweep()
    for (const path of parentsFirst(nodePaths.journal)) {
      await this.#files.makeDirectory(path, path === nodePaths.journal ? forUs : forAll)
    }
    for (const copy of copiesOf(intent)) await this.#copy(copy)
    const content = gzip(Buffer.from(JSON.stringify(intent)))
    await this.#files.write(intentPath, { content, ...secret })
  }

  /** After we were killed: what was seen to be begun stays begun, even if the power goes. */
  async secure(): Promise<void> {
    await this.#files.tidy(intentPath)
  }

  copy(number: number): Promise<Uint8Array> {
    return this.#files.read(copyPath(number), largestFile)
  }

  async mark(mark: Mark): Promise<void> {
    // The line begins with an end, for one before it that a crash cut off.
    await this.#files.append(logPath, Buffer.from(`\n${JSON.stringify(mark)}\n`))
  }

  async end(): Promise<void> {
    await this.#files.remove(intentPath)
    await this.sweep()
  }

  /** Removes what counts for nothing. */
  async sweep(): Promise<void> {
    if (await this.isThere()) return
    for (const name of await this.#files.list(nodePaths.journal)) {
      await this.#files.remove(`${nodePaths.journal}/${name}`)
    }
    await this.#files.removeDirectory(nodePaths.journal)
  }

  async #copy({ path, number, digest }: Copy): Promise<void> {
    const content = await this.#files.read(path, largestFile)
    if (sha256Hex(content) !== digest) {
      throw new HostFailure(`${path} changed while it was being read`, 'EAGAIN')
    }
    await this.#files.write(copyPath(number), { content, ...secret })
  }

  async #marks(): Promise<Mark[]> {
    if ((await this.#files.look(logPath)) === undefined) return []
    const log = await this.#files.read(logPath, largestFile)
    return marksIn(Buffer.from(log).toString())
  }
}

type Copy = Extract<Backup, { in: 'copy' }>

/** Everything that is written is also needed to go back, or for what is given back to others. */
function copiesOf({ removed, written, stored }: Intent): Copy[] {
  const copies = new Map<number, Copy>()
  for (const { backup, content } of [...removed, ...written, ...stored]) {
    const backups = [backup, content?.from === 'backup' ? content.backup : undefined]
    for (const each of backups) if (each?.in === 'copy') copies.set(each.number, each)
  }
  return [...copies.values()]
}

function intentIn(packed: Uint8Array): Intent {
  const intent = parsed(packed)
  if (intent.format !== 1) {
    const format = JSON.stringify(intent.format)
    throw new HostFailure(
      `${intentPath} was written by another version (format ${format}): start that version of the daemon to finish its update`,
      'EBADMSG',
    )
  }
  return intent
}

const largestIntent = 1024 * 1024 * 1024

/** Without what JSON.parse says of the text: it may hold secrets. */
function parsed(packed: Uint8Array): Intent {
  try {
    const text = Buffer.from(gunzip(packed, largestIntent)).toString()
    return JSON.parse(text) as Intent
  } catch {
    throw new HostFailure(
      `${intentPath} is damaged, so the update that was under way can neither be finished nor undone: make sure that the machine is in order, then remove ${nodePaths.journal}`,
      'EBADMSG',
    )
  }
}
