import { sha256Hex } from '@machinist/core/encoding/digest'
import type { FileState } from '../intent.ts'

/** Mode and owner of the daemon's own files. They are private, because configs hold the secrets of their files. */
export function stateFileState(content: Uint8Array): FileState {
  return { type: 'file', mode: 0o600, uid: 0, gid: 0, digest: sha256Hex(content) }
}
