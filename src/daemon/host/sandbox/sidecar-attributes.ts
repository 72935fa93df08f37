import type { Stats } from 'node:fs'
import type { Attributes } from '../attributes.ts'
import type { OpenFile } from '../disk.ts'
import type { HostFiles, NewDirectory } from '../host.ts'
import { simulationState } from '../simulated/state-file.ts'

const sidecar = `${simulationState}/owners.json`

interface Noted {
  readonly uid: number
  readonly gid: number
  /** Where it cannot really have the permissions that were asked for: those, and the ones that it has. */
  readonly mode?: readonly [asked: number, real: number]
}

/**
 * Owners and permissions for an ordinary user, who can give files to nobody and would lock itself out of some: what cannot
 * be so is kept in a file and reported from there. What is not noted belongs to root.
 */
export class SidecarAttributes implements Attributes {
  readonly #files: HostFiles
  readonly #noted: Map<string, Noted>

  private constructor(files: HostFiles, noted: Map<string, Noted>) {
    this.#files = files
    this.#noted = noted
  }

  /** `files` without these attributes: the sidecar itself has none to note. */
  static async open(files: HostFiles): Promise<SidecarAttributes> {
    if ((await files.look(sidecar)) === undefined) return new SidecarAttributes(files, new Map())
    const text = Buffer.from(await files.read(sidecar)).toString()
    const noted = JSON.parse(text) as Record<string, Noted>
    return new SidecarAttributes(files, new Map(Object.entries(noted)))
  }

  meanwhile(mode: number): number {
    return mode | 0o700
  }

  async set(file: OpenFile, place: string, { mode, uid, gid }: NewDirectory): Promise<void> {
    const own = (await file.stat()).isDirectory() ? 0o700 : 0o600
    // Nobody on the real machine shall run something as this user.
    const real = (mode | own) & ~0o6000
    await this.#note(place, { uid, gid, ...(real !== mode && { mode: [mode, real] }) })
    await file.chmod(real)
  }

  of(stats: Stats, place: string): NewDirectory {
    const { uid, gid, mode } = this.#noted.get(place) ?? roots
    const real = stats.mode & 0o7777
    return { uid, gid, mode: mode?.[1] === real ? mode[0] : real }
  }

  async forget(place: string, movedTo?: string): Promise<void> {
    const noted = this.#noted.get(place) ?? roots
    if (movedTo !== undefined) await this.#note(movedTo, noted)
    await this.#note(place, roots)
  }

  async #note(place: string, noted: Noted): Promise<void> {
    const before = this.#noted.get(place) ?? roots
    if (sameNote(before, noted)) return
    if (sameNote(noted, roots)) this.#noted.delete(place)
    else this.#noted.set(place, noted)
    const content = Buffer.from(JSON.stringify(Object.fromEntries(this.#noted)))
    await this.#files.write(sidecar, { content, mode: 0o600, ...ourselves() })
  }
}

const roots: Noted = { uid: 0, gid: 0 }

const sameNote = (a: Noted, b: Noted): boolean =>
  a.uid === b.uid && a.gid === b.gid && a.mode?.[0] === b.mode?.[0] && a.mode?.[1] === b.mode?.[1]

export const ourselves = (): { uid: number; gid: number } => ({
  uid: process.geteuid?.() ?? 0,
  gid: process.getegid?.() ?? 0,
})
