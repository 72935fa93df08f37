import { createHash, hash } from 'node:crypto'
import { canonicalJson } from './json.ts'

export function sha256Hex(content: string | Uint8Array): string {
  return hash('sha256', content)
}

/** Same as `sha256Hex` of the concatenated pieces, without concatenating them. */
export function sha256HexOf(pieces: readonly string[]): string {
  const sum = createHash('sha256')
  for (const piece of pieces) sum.update(piece)
  return sum.digest('hex')
}

/** A digest of a JSON value that is independent of the order of keys. */
export function contentDigest(value: unknown): string {
  return sha256Hex(canonicalJson(value))
}
