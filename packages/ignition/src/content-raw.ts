import { decodeBase64, gunzip, isBase64 } from '@machinist/core/encoding/bytes'
import { InvalidInput } from '@machinist/core/errors'
import { maxContentBytes } from './content.ts'

/**
 * Decodes the bytes of a config file: plain JSON, gzip, or gzip in base64, as user data of cloud providers often is. Anything else
 * is returned unchanged.
 */
export function decodeRawConfig(raw: Uint8Array, maxBytes = maxContentBytes): Uint8Array {
  if (raw.length > maxBytes) throw new InvalidInput(`the config is larger than ${maxBytes} bytes`)
  const compressed = isGzip(raw) ? raw : gzipInBase64(raw)
  return compressed ? gunzip(compressed, maxBytes) : raw
}

function gzipInBase64(raw: Uint8Array): Uint8Array | undefined {
  // Base64 from a terminal or a mail often has line breaks.
  const text = Buffer.from(raw)
    .toString('latin1')
    .replaceAll(/[\r\n]/g, '')
  if (!text.startsWith('H4s') || !isBase64(text)) return undefined
  const compressed = decodeBase64(text)
  return isGzip(compressed) ? compressed : undefined
}

/** Checks both bytes of the magic number. */
const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b
