import { sha256Hex } from '@machinist/core/digest'
import type { FileState } from './intent.ts'

/** How the daemon's own files are: configs hold every secret that their files do. */
export function stateFile(content: Uint8Array): FileState {
  return { type: 'file', mode: 0o600, uid: 0, gid: 0, digest: sha256Hex(content) }
}
