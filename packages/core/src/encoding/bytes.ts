import { isUtf8 } from 'node:buffer'
import { promisify } from 'node:util'
import { gunzip as gunzipInThreadPool, gunzipSync, gzipSync } from 'node:zlib'
import { InvalidInput } from '../errors.ts'

/** The length of a text in UTF-8. */
export function utf8Length(text: string): number {
  return Buffer.byteLength(text, 'utf8')
}

/**
 * Decodes UTF-8. Each invalid byte becomes U+FFFD, as in Go; a TextDecoder replaces each invalid sequence. A byte order mark is
 * kept.
 */
export function lenientUtf8(bytes: Uint8Array): string {
  const all = view(bytes)
  if (isUtf8(all)) return all.toString('utf8')
  let text = ''
  let from = 0
  for (let at = 0; at < all.length;) {
    const length = sequenceLength(all, at)
    if (length === 0) {
      text += `${all.toString('utf8', from, at)}\ufffd`
      from = at + 1
    }
    at += Math.max(length, 1)
  }
  return text + all.toString('utf8', from)
}

/** Whether the text is standard base64 with padding and without white space, as in a `data:` URL. */
export function isBase64(text: string): boolean {
  if (text.length % 4 !== 0) return false
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const end = text.length - padding
  if (end < longText) return !notBase64.test(padding === 0 ? text : text.slice(0, end))
  return isLongBase64(text, end)
}

/**
 * The native decoder is many times faster than a pattern for long texts. It skips invalid characters, so it returns fewer bytes
 * than the length implies. Two kinds of characters that it accepts are checked separately: `-` and `_` of the URL alphabet, and
 * characters outside ASCII, of which it reads only the low byte.
 */
function isLongBase64(text: string, end: number): boolean {
  if (text.includes('-') || text.includes('_') || utf8Length(text) !== text.length) return false
  scratch ??= Buffer.allocUnsafeSlow((pieceLength / 4) * 3)
  for (let at = 0; at < end; at += pieceLength) {
    const piece = text.slice(at, Math.min(at + pieceLength, end))
    if (scratch.write(piece, 'base64') !== Math.floor((piece.length * 3) / 4)) return false
  }
  return true
}

const longText = 256
const pieceLength = 16 * 1024
let scratch: Buffer | undefined

export function decodeBase64(text: string): Uint8Array {
  if (!isBase64(text)) throw new InvalidInput('the content is not valid base64')
  return Buffer.from(text, 'base64')
}

/** Compresses with the fastest level. */
export function gzip(bytes: Uint8Array): Uint8Array {
  return gzipSync(bytes, { level: 1 })
}

/** Decompresses gzip. Throws if the output exceeds `maxBytes`, before it is allocated. */
export function gunzip(bytes: Uint8Array, maxBytes: number): Uint8Array {
  try {
    return gunzipSync(bytes, { maxOutputLength: maxBytes })
  } catch (error) {
    throw gunzipError(error, maxBytes)
  }
}

/** Same as `gunzip`, without blocking the event loop. */
export async function gunzipAsync(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  try {
    return await promisify(gunzipInThreadPool)(bytes, { maxOutputLength: maxBytes })
  } catch (error) {
    throw gunzipError(error, maxBytes)
  }
}

function gunzipError(error: unknown, maxBytes: number): InvalidInput {
  const tooBig = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
  const problem = tooBig
    ? `the content decompresses to more than ${maxBytes} bytes`
    : 'the content is not valid gzip'
  return new InvalidInput(problem, tooBig ? undefined : { cause: error })
}

const notBase64 = /[^A-Za-z0-9+/]/

const view = (bytes: Uint8Array): Buffer =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** The length in bytes of the UTF-8 sequence at this position; 0 if it is invalid. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at]!
  const length = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4
  return length > 0 && isUtf8(bytes.subarray(at, at + length)) ? length : 0
}
