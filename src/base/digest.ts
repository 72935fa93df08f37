import { createHash } from 'node:crypto'
import { canonicalJson } from './json.ts'

export function sha256Hex(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

/** A digest of content, whatever the order of its keys. */
export function contentDigest(value: unknown): string {
  return sha256Hex(canonicalJson(value))
}
