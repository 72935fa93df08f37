import { HostFailure } from '../../host-failure.ts'

/**
 * A parser for GVariant, GLib's binary format, as far as ostree's staged-deployment file needs it: dictionaries of strings to
 * variants, and lists of strings. A container ends with a table of offsets, which use as few bytes as possible.
 */
export function readDictionary(
  bytes: Uint8Array,
): Map<string, { type: string; value: Uint8Array }> {
  const entries = elements(bytes).map(([from, to]) => readEntry(bytes.subarray(from, to)))
  return new Map(entries)
}

/** Parses a value of the type `as`. */
export function readTexts(bytes: Uint8Array): string[] {
  return elements(bytes, 1).map(([from, to]) => readText(bytes.subarray(from, to)))
}

function readEntry(bytes: Uint8Array): [string, { type: string; value: Uint8Array }] {
  const width = offsetWidth(bytes.length)
  const keyEnd = readOffset(bytes, bytes.length - width, width)
  const key = readText(bytes.subarray(0, keyEnd))
  const variant = bytes.subarray(aligned(keyEnd, 8), bytes.length - width)
  const split = variant.lastIndexOf(0)
  if (split === -1) throw malformed()
  const type = Buffer.from(variant.subarray(split + 1)).toString()
  return [key, { type, value: variant.subarray(0, split) }]
}

/** The start and end offsets of the elements of a list. */
function elements(bytes: Uint8Array, alignment = 8): [number, number][] {
  if (bytes.length === 0) return []
  const width = offsetWidth(bytes.length)
  const table = readOffset(bytes, bytes.length - width, width)
  if (table > bytes.length - width || (bytes.length - table) % width !== 0) throw malformed()
  const found: [number, number][] = []
  let from = 0
  for (let at = table; at < bytes.length; at += width) {
    const to = readOffset(bytes, at, width)
    from = aligned(from, alignment)
    if (to < from || to > table) throw malformed()
    found.push([from, to])
    from = to
  }
  return found
}

function readText(bytes: Uint8Array): string {
  if (bytes.at(-1) !== 0) throw malformed()
  return Buffer.from(bytes.subarray(0, -1)).toString()
}

function readOffset(bytes: Uint8Array, at: number, width: number): number {
  if (at < 0) throw malformed()
  let value = 0
  for (let i = width - 1; i >= 0; i--) value = value * 256 + bytes[at + i]!
  if (value > bytes.length) throw malformed()
  return value
}

const offsetWidth = (size: number): number => (size <= 0xff ? 1 : size <= 0xffff ? 2 : 4)

const aligned = (at: number, alignment: number): number => Math.ceil(at / alignment) * alignment

const malformed = (): HostFailure => new HostFailure('not a valid GVariant', 'EINVAL')
