import { isUtf8 } from 'node:buffer'
import { promisify } from 'node:util'
import { gunzip as gunzipInThread, gunzipSync, gzipSync } from 'node:zlib'
import { InvalidInput } from './errors.ts'

/** How long a text is on disk or on the wire. */
export function utf8Length(text: string): number {
  return Buffer.byteLength(text, 'utf8')
}

/**
 * The text of these bytes, with U+FFFD in place of each byte that is not UTF-8: one per byte, as Go does it, where a
 * TextDecoder has one per broken sequence. A byte order mark is kept.
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

/** Standard base64 with its padding, without white space, as it stands in a `data:` URL. */
export function isBase64(text: string): boolean {
  if (text.length % 4 !== 0) return false
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const end = text.length - padding
  if (end < longText) return !notBase64.test(padding === 0 ? text : text.slice(0, end))
  return isLongBase64(text, end)
}

/**
 * The native decoder looks at long texts many times faster than a pattern does. It skips what is not base64, and so
 * gives fewer bytes than the length promises. What it takes beyond base64 is asked for apart: the two characters of the
 * URL alphabet, and characters that are not ASCII, of which it sees only the lower half.
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

/** Packs quickly rather than tightly. */
export function gzip(bytes: Uint8Array): Uint8Array {
  return gzipSync(bytes, { level: 1 })
}

/** Unpacks gzip. What grows beyond `maxBytes` is refused before it takes the memory. */
export function gunzip(bytes: Uint8Array, maxBytes: number): Uint8Array {
  try {
    return gunzipSync(bytes, { maxOutputLength: maxBytes })
  } catch (error) {
    throw notUnpacked(error, maxBytes)
  }
}

/** The same, on a thread of its own: the event loop turns meanwhile. */
export async function gunzipAside(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  try {
    return await promisify(gunzipInThread)(bytes, { maxOutputLength: maxBytes })
  } catch (error) {
    throw notUnpacked(error, maxBytes)
  }
}

function notUnpacked(error: unknown, maxBytes: number): InvalidInput {
  const tooBig = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
  const problem = tooBig
    ? `the content unpacks to more than ${maxBytes} bytes`
    : 'the content is not valid gzip'
  return new InvalidInput(problem, tooBig ? undefined : { cause: error })
}

const notBase64 = /[^A-Za-z0-9+/]/

const view = (bytes: Uint8Array): Buffer =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** How many bytes the UTF-8 sequence at this place has; 0 if it is none. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at]!
  const length = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4
  return length > 0 && isUtf8(bytes.subarray(at, at + length)) ? length : 0
}
