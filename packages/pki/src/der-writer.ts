/** Writes DER: tag, length, content. */
export function element(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([tag]), lengthOf(content), content])
}

export const sequence = (...parts: readonly Uint8Array[]): Buffer => element(0x30, ...parts)

export const set = (...parts: readonly Uint8Array[]): Buffer => element(0x31, ...parts)

/** What is at place `place` of a structure and says so. */
export const placed = (place: number, ...parts: readonly Uint8Array[]): Buffer =>
  element(0xa0 | place, ...parts)

/** A number that is not negative, most significant byte first. */
export function integer(bytes: Uint8Array): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0)
  const digits = first === -1 ? Buffer.from([0]) : bytes.subarray(first)
  // The highest bit would make it negative.
  return digits[0]! < 0x80 ? element(0x02, digits) : element(0x02, Buffer.from([0]), digits)
}

export const boolean = (value: boolean): Buffer => element(0x01, Buffer.from([value ? 0xff : 0]))

export const octets = (content: Uint8Array): Buffer => element(0x04, content)

export const nothing = (): Buffer => element(0x05)

export const utf8 = (text: string): Buffer => element(0x0c, Buffer.from(text))

/** Of whole bytes. */
export const bits = (content: Uint8Array): Buffer => element(0x03, Buffer.from([0]), content)

/** Named bits, the first of which is the highest of its byte; zeros at the end are left out. */
export function flags(...set: readonly number[]): Buffer {
  const last = Math.max(...set)
  const bytes = Buffer.alloc(Math.floor(last / 8) + 1)
  for (const flag of set) bytes[Math.floor(flag / 8)]! |= 0x80 >> (flag % 8)
  return element(0x03, Buffer.from([7 - (last % 8)]), bytes)
}

/** `2.5.4.3` and the like. */
export function identifier(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number)
  return element(0x06, ...[first * 40 + second, ...rest].map(arc))
}

/** Two digits for the year up to 2049, four from then on: so it is agreed. */
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
