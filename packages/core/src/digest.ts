import { createHash, hash } from 'node:crypto'
import { canonicalJson } from './json.ts'

export function sha256Hex(content: string | Uint8Array): string {
  return hash('sha256', content)
}

/** The same for a text in pieces, which need not be put together for it. */
export function sha256HexOf(pieces: readonly string[]): string {
  const sum = createHash('sha256')
  for (const piece of pieces) sum.update(piece)
  return sum.digest('hex')
}

/** A digest of content, whatever the order of its keys. */
export function contentDigest(value: unknown): string {
  return sha256Hex(canonicalJson(value))
}
