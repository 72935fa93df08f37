import type { BundleReading } from '@machinist/pki/bundle'
import { readBundle } from '@machinist/pki/bundle'

/** The cache size: more than the number of inputs, each with its previous bundle. */
const most = 64
const readings = new Map<string, BundleReading>()

/**
 * Parses a bundle, with a cache: every reconcile evaluates all bundles, and parsing certificates is its most expensive part.
 * Bytes are decoded as latin1, so that comments in any encoding are accepted.
 */
export function readBytes(bytes: Uint8Array): BundleReading {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  const known = readings.get(text)
  const reading = known ?? readBundle(text)
  readings.delete(text)
  readings.set(text, reading)
  const [oldest] = readings.keys()
  if (readings.size > most && oldest !== undefined) readings.delete(oldest)
  return reading
}

/** The same for the value of a field. */
export function readField(data: string): BundleReading {
  return readBytes(Buffer.from(data, 'base64'))
}
