import type { Entry, NewDirectory } from '../host.ts'
import { HostFailure } from '../host-failure.ts'

/** What a file system in memory holds at a place. */
export type Stored = StoredFile | StoredDirectory | Extract<Entry, { type: 'symlink' | 'other' }>
type StoredFile = Extract<Entry, { type: 'file' }> & { readonly content: Uint8Array }
export type StoredDirectory = Extract<Entry, { type: 'directory' }> & {
  readonly names: Set<string>
}

/** Not `slice`, which shares the bytes if they are a Buffer's. */
export const copied = (content: Uint8Array): Uint8Array => new Uint8Array(content)

export const usualDirectory: NewDirectory = { mode: 0o755, uid: 0, gid: 0 }

export const newDirectory = ({ mode, uid, gid }: NewDirectory): StoredDirectory => ({
  type: 'directory',
  mode,
  uid,
  gid,
  names: new Set(),
})

export const newFile = ({ mode, uid, gid }: NewDirectory, content: Uint8Array): StoredFile => ({
  type: 'file',
  mode,
  uid,
  gid,
  size: content.length,
  content,
})

export function regular(entry: Stored, path: string): StoredFile {
  if (entry.type === 'file') return entry
  refuseIrregular(entry, path)
  throw failure(path, 'ELOOP', 'is a symbolic link')
}

export function refuseIrregular({ type }: Stored, path: string): void {
  if (type === 'directory') throw failure(path, 'EISDIR', 'is a directory')
  if (type === 'other') throw failure(path, 'EINVAL', 'is a device, socket or pipe')
}

export const failure = (path: string, code: string, what: string): HostFailure =>
  new HostFailure(`${path}: ${what}`, code)
