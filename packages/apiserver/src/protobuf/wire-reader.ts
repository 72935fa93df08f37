import { badRequest } from '../status/status-error.ts'

/** Wire types. Groups (3 and 4) are obsolete in protobuf and rejected. */
export type WireType = 'varint' | 'fixed64' | 'bytes' | 'fixed32'

export interface WireField {
  readonly number: number
  readonly type: WireType
}

/** Reads protobuf's wire format; rejects malformed input. */
export class WireReader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length
  }

  /** The tag of the next field. */
  field(): WireField {
    const tag = Number(this.varint())
    const number = Math.floor(tag / 8)
    const type = wireTypes[tag % 8]
    if (number < 1 || number > highestFieldNumber || !type) throw malformed('a field has no sense')
    return { number, type }
  }

  /** A varint as an unsigned 64-bit number. */
  varint(): bigint {
    let low = 0
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.#byte()
      low += (byte & 0x7f) << shift
      if (byte < 0x80) return BigInt(low)
    }
    let value = BigInt(low)
    for (let shift = 28n; shift < 70n; shift += 7n) {
      const byte = this.#byte()
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return BigInt.asUintN(64, value)
    }
    throw malformed('a number is too long')
  }

  double(): number {
    const bytes = this.#take(8)
    return new DataView(bytes.buffer, bytes.byteOffset, 8).getFloat64(0, true)
  }

  /** A view of the bytes, not a copy. */
  bytes(): Uint8Array {
    return this.#take(Number(this.varint()))
  }

  skip(type: WireType): void {
    if (type === 'varint') this.varint()
    else if (type === 'bytes') this.bytes()
    else this.#take(type === 'fixed64' ? 8 : 4)
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++]
    if (byte === undefined) throw malformed('it ends in the middle of a field')
    return byte
  }

  #take(length: number): Uint8Array {
    const end = this.#at + length
    if (end > this.#bytes.length) throw malformed('it ends in the middle of a field')
    const taken = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return taken
  }
}

export function malformed(what: string): Error {
  return badRequest(`the body is not valid application/vnd.kubernetes.protobuf: ${what}`)
}

const wireTypes: readonly (WireType | undefined)[] = [
  'varint',
  'fixed64',
  'bytes',
  undefined,
  undefined,
  'fixed32',
]

const highestFieldNumber = 2 ** 29 - 1
