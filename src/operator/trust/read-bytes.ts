import type { BundleReading } from '@machinist/pki/bundle'
import { readBundle } from '@machinist/pki/bundle'

/** How many bundles are remembered: more than there are inputs, each with what it was before. */
const most = 64
const readings = new Map<string, BundleReading>()

/**
 * What is in a bundle. The same ones are looked at again at every change of anything, and reading a certificate is the
 * most expensive thing this loop does: so each is read once. Bytes are taken one by one, so that comments in whatever
 * encoding do no harm.
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

/** The same for what a field holds. */
export function readField(data: string): BundleReading {
  return readBytes(Buffer.from(data, 'base64'))
}
