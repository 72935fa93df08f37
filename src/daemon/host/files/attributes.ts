import type { Stats } from 'node:fs'
import type { NewDirectory } from '../host.ts'
import type { OpenFile } from './disk.ts'

/** Sets and reads modes and owners. A sandbox without root permissions emulates them. */
export interface FileAttributes {
  /** The mode of a directory until `set`: never wider than requested where other users can see it. */
  temporaryMode(mode: number): number
  /** Sets mode and owner of the file or directory that is, or will be, at this path. */
  set(file: OpenFile, path: string, desired: NewDirectory): Promise<void>
  of(stats: Stats, path: string): NewDirectory
  /** The path was removed or moved. */
  forget(path: string, movedTo?: string): Promise<void>
}

export const realAttributes: FileAttributes = {
  temporaryMode: (mode) => mode & 0o700,
  async set(file, _path, { mode, uid, gid }) {
    await file.chown(uid, gid)
    // chown comes first: it clears setuid.
    await file.chmod(mode)
  },
  of: ({ mode, uid, gid }) => ({ mode: mode & 0o7777, uid, gid }),
  forget: () => Promise.resolve(),
}
