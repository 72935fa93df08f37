import type { CertificateDelivery } from '../../api/trust/items.ts'
import { sha256Hex } from '@machinist/core/digest'
import { difference, readBundle } from '@machinist/pki/bundle'

/** A file of certificates that a config wants to replace. */
export interface Replacing {
  readonly delivery: CertificateDelivery
  /** Digest of what the cluster wants there now; `unknown` before it was read, `nothing` if that is left to configs. */
  readonly wanted: string
  /** What is there; undefined: nothing. */
  readonly disk: Uint8Array | undefined
  /** What the config brings; undefined: it takes the file away. */
  readonly brought: Uint8Array | undefined
}

/**
 * Whether the file stays although a config says something else. So that no CA is lost when certificates begin or cease to be
 * a part of configs, some of which may be old, a config replaces what is there only by what the cluster wants now, or by
 * something that holds all of it.
 */
export function staysOnDisk({ delivery, wanted, disk, brought }: Replacing): boolean {
  const there = readBundle(text(disk)).bundle
  // Anything is better than a file without certificates.
  if (!disk || there.size === 0) return false
  if (!brought || delivery === 'direct') return true
  if (wanted === 'nothing') return false
  const [before, after] = [sha256Hex(disk), sha256Hex(brought)]
  if (before === after || after === wanted) return false
  if (before === wanted) return true
  return difference(there, readBundle(text(brought)).bundle).size > 0
}

const text = (content: Uint8Array | undefined): string => Buffer.from(content ?? []).toString()
