import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { StatusError } from '../status/status-error.ts'
import { WireReader } from './wire-reader.ts'

const reader = (...bytes: number[]): WireReader => new WireReader(Uint8Array.from(bytes))

/** A varint as the protobuf documentation describes it: seven bits at a time, the lowest first. */
function varint(value: bigint): number[] {
  const bytes: number[] = []
  for (let rest = value; ; rest >>= 7n) {
    if (rest < 0x80n) return [...bytes, Number(rest)]
    bytes.push(Number(rest & 0x7fn) | 0x80)
  }
}

describe('WireReader', () => {
  it('reads varints of every length', () => {
    expect(reader(0x00).varint()).toBe(0n)
    expect(reader(0x96, 0x01).varint()).toBe(150n)
    const minusOne = reader(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01).varint()
    expect(BigInt.asIntN(64, minusOne)).toBe(-1n)
  })

  it('reads encoded values', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (value) => {
        const read = reader(...varint(value))
        expect(read.varint()).toBe(value)
        expect(read.done).toBe(true)
      }),
    )
  })

  it('returns the next tag', () => {
    expect(reader(0x08).field()).toEqual({ number: 1, type: 'varint' })
    expect(reader(0x12).field()).toEqual({ number: 2, type: 'bytes' })
    expect(reader(0x19).field()).toEqual({ number: 3, type: 'fixed64' })
    expect(reader(0xa5, 0x01).field()).toEqual({ number: 20, type: 'fixed32' })
  })

  it('reads bytes and doubles', () => {
    const read = reader(3, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f)
    expect([...read.bytes()]).toEqual([1, 2, 3])
    expect(read.double()).toBe(1.5)
    expect(read.done).toBe(true)
  })

  it('skips every wire type', () => {
    const read = reader(0x96, 0x01, 2, 9, 9, 1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4)
    for (const type of ['varint', 'bytes', 'fixed64', 'fixed32'] as const) read.skip(type)
    expect(read.done).toBe(true)
  })

  it.each([
    ['a group', (): unknown => reader(0x0b).field()],
    ['field number 0', (): unknown => reader(0x00).field()],
    ['a field number that is too high', (): unknown => reader(...varint(2n ** 33n)).field()],
    ['a number of eleven bytes', (): unknown => reader(...Array<number>(11).fill(0xff)).varint()],
    ['a number that ends early', (): unknown => reader(0x80).varint()],
    ['more bytes than there are', (): unknown => reader(5, 1, 2).bytes()],
    ['a length near 2^64', (): unknown => reader(...varint(2n ** 64n - 1n)).bytes()],
    ['half a double', (): unknown => reader(1, 2, 3).double()],
  ])('rejects %s', (_what, read) => {
    expect(read).toThrow(StatusError)
    expect(read).toThrow('the body is not valid application/vnd.kubernetes.protobuf')
  })
})
