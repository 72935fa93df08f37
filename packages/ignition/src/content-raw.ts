import { decodeBase64, gunzip, isBase64 } from '@machinist/core/bytes'
import { InvalidInput } from '@machinist/core/errors'
import { maxContentBytes } from './content.ts'

/**
 * The bytes of a config as someone handed it in: plain JSON, gzip, or gzip in base64, as cloud providers' user data
 * often is. What is none of the latter two is taken as it is.
 */
export function decodeRawConfig(raw: Uint8Array, maxBytes = maxContentBytes): Uint8Array {
  if (raw.length > maxBytes) throw new InvalidInput(`the config is larger than ${maxBytes} bytes`)
  const packed = isGzip(raw) ? raw : gzipInBase64(raw)
  return packed ? gunzip(packed, maxBytes) : raw
}

function gzipInBase64(raw: Uint8Array): Uint8Array | undefined {
  // Line breaks are common in base64 that came through a terminal or a mail.
  const text = Buffer.from(raw)
    .toString('latin1')
    .replaceAll(/[\r\n]/g, '')
  if (!text.startsWith('H4s') || !isBase64(text)) return undefined
  const packed = decodeBase64(text)
  return isGzip(packed) ? packed : undefined
}

/** Both bytes of the magic number; with only one of them it may be anything. */
const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b
