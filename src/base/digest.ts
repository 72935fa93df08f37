import { createHash } from 'node:crypto'
import { canonicalJson } from './json.ts'

export function sha256Hex(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

/** The same for a text in pieces, which need not be put together for it. */
export function sha256HexOf(pieces: readonly string[]): string {
  const hash = createHash('sha256')
  for (const piece of pieces) hash.update(piece)
  return hash.digest('hex')
}

/** A digest of content, whatever the order of its keys. */
export function contentDigest(value: unknown): string {
  return sha256Hex(canonicalJson(value))
}
