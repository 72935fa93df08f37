import { sha256Hex } from '@machinist/core/encoding/digest'
import type { HostFiles } from '../../host/host.ts'
import { HostFailure } from '../../host/host-failure.ts'
import { maxFileBytes } from '../../verify/compare-file.ts'
import type { PathState } from '../intent.ts'

export const absentState: PathState = { type: 'absent' }

export interface PathContent {
  readonly state: PathState
  /** The content, if it is a file. */
  readonly content?: Uint8Array
}

/** The current state of a path that an update may replace. */
export async function getPathState(files: HostFiles, path: string): Promise<PathContent> {
  const entry = await files.stat(path)
  switch (entry?.type) {
    case undefined:
      return { state: absentState }
    case 'symlink':
      return { state: { type: 'link', target: entry.target } }
    case 'file': {
      const { mode, uid, gid } = entry
      const content = await files.read(path, maxFileBytes)
      return { state: { type: 'file', mode, uid, gid, digest: sha256Hex(content) }, content }
    }
    case 'directory':
      throw new HostFailure(`${path} cannot be replaced: it is a directory`, 'EISDIR')
    case 'other':
      throw new HostFailure(`${path} cannot be replaced: it is a device, socket or pipe`, 'EINVAL')
  }
}

/** Brings a path to a state, if it differs. */
export async function setPathState(
  files: HostFiles,
  path: string,
  desired: PathState,
  contentOf: () => Promise<Uint8Array>,
): Promise<void> {
  if (await hasState(files, path, desired)) return
  switch (desired.type) {
    case 'absent':
      return files.remove(path)
    case 'link':
      return files.link(path, desired.target)
    case 'file': {
      const { mode, uid, gid, digest } = desired
      const content = await contentOf()
      if (sha256Hex(content) !== digest) {
        throw new HostFailure(`${path}: its content in the journal is damaged`, 'EBADMSG')
      }
      return files.write(path, { content, mode, uid, gid })
    }
  }
}

async function hasState(files: HostFiles, path: string, desired: PathState): Promise<boolean> {
  const entry = await files.stat(path)
  switch (desired.type) {
    case 'absent':
      // Directories are handled separately, by `emptied` and `made`.
      return entry === undefined || entry.type === 'directory'
    case 'link':
      return entry?.type === 'symlink' && entry.target === desired.target
    case 'file': {
      if (entry?.type !== 'file') return false
      const { mode, uid, gid } = desired
      if (entry.mode !== mode || entry.uid !== uid || entry.gid !== gid) return false
      if (entry.size > maxFileBytes) return false
      return sha256Hex(await files.read(path, maxFileBytes)) === desired.digest
    }
  }
}
