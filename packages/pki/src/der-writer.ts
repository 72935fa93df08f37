/** Encodes a DER element: tag, length, content. */
export function element(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([tag]), lengthOf(content), content])
}

export const sequence = (...parts: readonly Uint8Array[]): Buffer => element(0x30, ...parts)

export const set = (...parts: readonly Uint8Array[]): Buffer => element(0x31, ...parts)

/** A constructed element with a context-specific tag. */
export const contextSpecific = (tag: number, ...parts: readonly Uint8Array[]): Buffer =>
  element(0xa0 | tag, ...parts)

/** A non-negative integer, in big-endian bytes. */
export function integer(bytes: Uint8Array): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0)
  const digits = first === -1 ? Buffer.from([0]) : bytes.subarray(first)
  // A leading zero byte keeps the number positive.
  return digits[0]! < 0x80 ? element(0x02, digits) : element(0x02, Buffer.from([0]), digits)
}

export const boolean = (value: boolean): Buffer => element(0x01, Buffer.from([value ? 0xff : 0]))

export const octets = (content: Uint8Array): Buffer => element(0x04, content)

export const nullElement = (): Buffer => element(0x05)

export const utf8 = (text: string): Buffer => element(0x0c, Buffer.from(text))

/** A bit string without padding bits. */
export const bits = (content: Uint8Array): Buffer => element(0x03, Buffer.from([0]), content)

/** A named bit list: bit 0 is the highest bit of the first byte; trailing zero bits are omitted. */
export function flags(...set: readonly number[]): Buffer {
  const last = Math.max(...set)
  const bytes = Buffer.alloc(Math.floor(last / 8) + 1)
  for (const flag of set) bytes[Math.floor(flag / 8)]! |= 0x80 >> (flag % 8)
  return element(0x03, Buffer.from([7 - (last % 8)]), bytes)
}

/** An object identifier, such as `2.5.4.3`. */
export function identifier(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number)
  return element(0x06, ...[first * 40 + second, ...rest].map(arc))
}

/** UTCTime until 2049, GeneralizedTime from 2050, as RFC 5280 requires. */
export function time(ms: number): Buffer {
  const text = new Date(ms).toISOString().replaceAll(/[-:T]|\.\d+/g, '')
  return ms < Date.UTC(2050, 0)
    ? element(0x17, Buffer.from(text.slice(2)))
    : element(0x18, Buffer.from(text))
}

function arc(value: number): Buffer {
  const digits = [value % 128]
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) {
    digits.unshift(0x80 | (rest % 128))
  }
  return Buffer.from(digits)
}

function lengthOf({ length }: Uint8Array): Buffer {
  if (length < 0x80) return Buffer.from([length])
  const digits: number[] = []
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) digits.unshift(rest % 256)
  return Buffer.from([0x80 | digits.length, ...digits])
}
