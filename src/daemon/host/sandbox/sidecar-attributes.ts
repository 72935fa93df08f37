import type { Stats } from 'node:fs'
import type { FileAttributes } from '../files/attributes.ts'
import type { OpenFile } from '../files/disk.ts'
import type { HostFiles, NewDirectory } from '../host.ts'
import { simulationState } from '../simulated/state-file.ts'

const sidecar = `${simulationState}/owners.json`

interface SidecarEntry {
  readonly uid: number
  readonly gid: number
  /** If the file cannot have the requested mode: the requested and the actual mode. */
  readonly mode?: readonly [requested: number, actual: number]
}

/**
 * Owners and modes for an ordinary user, who cannot change owners and would lose access to some files. A sidecar file holds
 * the attributes that the file system cannot have. Files without an entry belong to root.
 */
export class SidecarAttributes implements FileAttributes {
  readonly #files: HostFiles
  readonly #entries: Map<string, SidecarEntry>

  private constructor(files: HostFiles, entries: Map<string, SidecarEntry>) {
    this.#files = files
    this.#entries = entries
  }

  /** `files` must not use these attributes: the sidecar file itself has no entry. */
  static async open(files: HostFiles): Promise<SidecarAttributes> {
    if ((await files.stat(sidecar)) === undefined) return new SidecarAttributes(files, new Map())
    const text = Buffer.from(await files.read(sidecar)).toString()
    const entries = JSON.parse(text) as Record<string, SidecarEntry>
    return new SidecarAttributes(files, new Map(Object.entries(entries)))
  }

  temporaryMode(mode: number): number {
    return mode | 0o700
  }

  async set(file: OpenFile, path: string, { mode, uid, gid }: NewDirectory): Promise<void> {
    const own = (await file.stat()).isDirectory() ? 0o700 : 0o600
    // Without setuid and setgid: no one may run a program as this user on the real machine.
    const actual = (mode | own) & ~0o6000
    await this.#record(path, { uid, gid, ...(actual !== mode && { mode: [mode, actual] }) })
    await file.chmod(actual)
  }

  of(stats: Stats, path: string): NewDirectory {
    const { uid, gid, mode } = this.#entries.get(path) ?? rootOwned
    const actual = stats.mode & 0o7777
    return { uid, gid, mode: mode?.[1] === actual ? mode[0] : actual }
  }

  async forget(path: string, movedTo?: string): Promise<void> {
    const entry = this.#entries.get(path) ?? rootOwned
    if (movedTo !== undefined) await this.#record(movedTo, entry)
    await this.#record(path, rootOwned)
  }

  async #record(path: string, entry: SidecarEntry): Promise<void> {
    const before = this.#entries.get(path) ?? rootOwned
    if (sameEntry(before, entry)) return
    if (sameEntry(entry, rootOwned)) this.#entries.delete(path)
    else this.#entries.set(path, entry)
    const content = Buffer.from(JSON.stringify(Object.fromEntries(this.#entries)))
    await this.#files.write(sidecar, { content, mode: 0o600, ...currentUser() })
  }
}

const rootOwned: SidecarEntry = { uid: 0, gid: 0 }

const sameEntry = (a: SidecarEntry, b: SidecarEntry): boolean =>
  a.uid === b.uid && a.gid === b.gid && a.mode?.[0] === b.mode?.[0] && a.mode?.[1] === b.mode?.[1]

export const currentUser = (): { uid: number; gid: number } => ({
  uid: process.geteuid?.() ?? 0,
  gid: process.getegid?.() ?? 0,
})
