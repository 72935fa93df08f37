/** An encoded field; undefined if not set. */
export type WireField = Uint8Array | undefined

const lengthDelimited = 2

/** A message of these fields, in order. */
export function message(...fields: readonly WireField[]): Uint8Array {
  return Buffer.concat(fields.filter((field) => field !== undefined))
}

/** A field with bytes, a string or a message. */
export function field(number: number, value: Uint8Array | string | undefined): WireField {
  if (value === undefined) return undefined
  const bytes = typeof value === 'string' ? Buffer.from(value) : value
  return Buffer.concat([varint(number * 8 + lengthDelimited), varint(bytes.length), bytes])
}

/** A field with several values. */
export function repeated(
  number: number,
  values: readonly (Uint8Array | string)[] = [],
): Uint8Array {
  return message(...values.map((value) => field(number, value)))
}

/** For lengths and field numbers, which are small. */
function varint(value: number): Uint8Array {
  const bytes: number[] = []
  let rest = value
  while (rest > 0x7f) {
    bytes.push((rest & 0x7f) | 0x80)
    rest = Math.floor(rest / 0x80)
  }
  return Uint8Array.from([...bytes, rest])
}
