import type { Stats } from 'node:fs'
import type { OpenFile } from './disk.ts'
import type { NewDirectory } from './host.ts'

/** How permissions and owners are set and read: differently where the daemon is not root. */
export interface Attributes {
  /** The permissions of a directory while it is made: never wider than asked for, if others could see it. */
  meanwhile(mode: number): number
  /** Of a file or directory that will be, or is, at this place. */
  set(file: OpenFile, place: string, wanted: NewDirectory): Promise<void>
  of(stats: Stats, place: string): NewDirectory
  /** What was there is gone, or somewhere else. */
  forget(place: string, movedTo?: string): Promise<void>
}

export const realAttributes: Attributes = {
  meanwhile: (mode) => mode & 0o700,
  async set(file, _place, { mode, uid, gid }) {
    await file.chown(uid, gid)
    // After the owner: a change of owner takes setuid away.
    await file.chmod(mode)
  },
  of: ({ mode, uid, gid }) => ({ mode: mode & 0o7777, uid, gid }),
  forget: () => Promise.resolve(),
}
