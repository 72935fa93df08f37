import { sha256Hex } from '@machinist/core/digest'
import type { HostFiles } from '../host/host.ts'
import { HostFailure } from '../host/host-failure.ts'
import type { PathState } from './intent.ts'

export const absent: PathState = { type: 'absent' }

/** Far more than a config can bring, little enough to hold in memory. */
export const largestFile = 256 * 1024 * 1024

export interface Found {
  readonly state: PathState
  /** Of a file. */
  readonly content?: Uint8Array
}

/** What is at a path now, as far as an update may replace it. */
export async function foundAt(files: HostFiles, path: string): Promise<Found> {
  const entry = await files.look(path)
  switch (entry?.type) {
    case undefined:
      return { state: absent }
    case 'symlink':
      return { state: { type: 'link', target: entry.target } }
    case 'file': {
      const { mode, uid, gid } = entry
      const content = await files.read(path, largestFile)
      return { state: { type: 'file', mode, uid, gid, digest: sha256Hex(content) }, content }
    }
    case 'directory':
      throw new HostFailure(`${path} cannot be replaced: there is a directory`, 'EISDIR')
    case 'other':
      throw new HostFailure(
        `${path} cannot be replaced: there is a device, socket or pipe`,
        'EINVAL',
      )
  }
}

/** Makes it so, if it is not so already. */
export async function putState(
  files: HostFiles,
  path: string,
  wanted: PathState,
  contentOf: () => Promise<Uint8Array>,
): Promise<void> {
  if (await isSo(files, path, wanted)) return
  switch (wanted.type) {
    case 'absent':
      return files.remove(path)
    case 'link':
      return files.link(path, wanted.target)
    case 'file': {
      const { mode, uid, gid, digest } = wanted
      const content = await contentOf()
      if (sha256Hex(content) !== digest) {
        throw new HostFailure(`${path}: the content that was noted for it is damaged`, 'EBADMSG')
      }
      return files.write(path, { content, mode, uid, gid })
    }
  }
}

async function isSo(files: HostFiles, path: string, wanted: PathState): Promise<boolean> {
  const entry = await files.look(path)
  switch (wanted.type) {
    case 'absent':
      // A directory is no business of ours: what makes and removes those is not done by path alone.
      return entry === undefined || entry.type === 'directory'
    case 'link':
      return entry?.type === 'symlink' && entry.target === wanted.target
    case 'file': {
      if (entry?.type !== 'file') return false
      const { mode, uid, gid } = wanted
      if (entry.mode !== mode || entry.uid !== uid || entry.gid !== gid) return false
      if (entry.size > largestFile) return false
      return sha256Hex(await files.read(path, largestFile)) === wanted.digest
    }
  }
}
