import type { Entry, NewDirectory } from '../host.ts'
import { HostFailure } from '../host-failure.ts'

/** An entry of the in-memory file system. */
export type StoredEntry =
  StoredFile | StoredDirectory | Extract<Entry, { type: 'symlink' | 'other' }>
type StoredFile = Extract<Entry, { type: 'file' }> & { readonly content: Uint8Array }
export type StoredDirectory = Extract<Entry, { type: 'directory' }> & {
  readonly names: Set<string>
}

/** Not `slice`: it shares the bytes of a Buffer. */
export const copyBytes = (content: Uint8Array): Uint8Array => new Uint8Array(content)

export const defaultDirectory: NewDirectory = { mode: 0o755, uid: 0, gid: 0 }

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

export function requireRegularFile(entry: StoredEntry, path: string): StoredFile {
  if (entry.type === 'file') return entry
  requireFileOrLink(entry, path)
  throw pathFailure(path, 'ELOOP', 'is a symbolic link')
}

export function requireFileOrLink({ type }: StoredEntry, path: string): void {
  if (type === 'directory') throw pathFailure(path, 'EISDIR', 'is a directory')
  if (type === 'other') throw pathFailure(path, 'EINVAL', 'is a device, socket or pipe')
}

export const pathFailure = (path: string, code: string, what: string): HostFailure =>
  new HostFailure(`${path}: ${what}`, code)
