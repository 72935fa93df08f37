import { sha256Hex } from '@machinist/core/encoding/digest'
import { difference, readBundle } from '@machinist/pki/bundle'
import type { CertificateDelivery } from '../../../api/trust/items.ts'

/** A certificate file that a config would replace. */
export interface CertificateReplacement {
  readonly delivery: CertificateDelivery
  /** The desired digest; `unknown` before it was read, `nothing` if the file is left to configs. */
  readonly desired: string
  /** The content on disk; undefined: there is no file. */
  readonly disk: Uint8Array | undefined
  /** The content in the config; undefined: the config removes the file. */
  readonly replacement: Uint8Array | undefined
}

/**
 * Whether the file stays although a config contains something else. A config may be old when certificates become or cease to
 * be part of configs. So that no CA is lost, a config replaces the file only with the desired content, or with a bundle that
 * contains every CA of the file.
 */
export function staysOnDisk({
  delivery,
  desired,
  disk,
  replacement,
}: CertificateReplacement): boolean {
  const there = readBundle(text(disk)).bundle
  // A file without certificates is never kept.
  if (!disk || there.size === 0) return false
  if (!replacement || delivery === 'direct') return true
  if (desired === 'nothing') return false
  const [before, after] = [sha256Hex(disk), sha256Hex(replacement)]
  if (before === after || after === desired) return false
  if (before === desired) return true
  return difference(there, readBundle(text(replacement)).bundle).size > 0
}

const text = (content: Uint8Array | undefined): string => Buffer.from(content ?? []).toString()
