import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { objectIdentifier, readOnly, tags, wholeBytes } from '@machinist/core/encoding/der'
import * as der from './der-writer.ts'

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

describe('DER', () => {
  it.each([
    ['a number', der.integer(Buffer.from([2])), '020102'],
    ['a number without leading zeros', der.integer(Buffer.from([0, 0, 1])), '020101'],
    ['zero', der.integer(Buffer.from([0, 0])), '020100'],
    ['a number with the highest bit set', der.integer(Buffer.from([0x80])), '02020080'],
    ['true', der.boolean(true), '0101ff'],
    ['false', der.boolean(false), '010100'],
    ['null', der.nullElement(), '0500'],
    ['text', der.utf8('ü'), '0c02c3bc'],
    ['bits', der.bits(Buffer.from([0xab])), '030200ab'],
    ['keyCertSign and cRLSign', der.flags(5, 6), '03020106'],
    ['digitalSignature', der.flags(0), '03020780'],
    ['digitalSignature and keyEncipherment', der.flags(0, 2), '030205a0'],
    ['a flag of the second byte', der.flags(8), '0303070080'],
    ['sha256WithRSAEncryption', der.identifier('1.2.840.113549.1.1.11'), '06092a864886f70d01010b'],
    ['a common name', der.identifier('2.5.4.3'), '0603550403'],
    ['a time', der.time(Date.UTC(2026, 10, 15, 1, 2, 3)), '170d3236313131353031303230335a'],
    [
      'the last UTCTime',
      der.time(Date.UTC(2049, 11, 31, 23, 59, 59)),
      '170d3439313233313233353935395a',
    ],
    [
      'the first GeneralizedTime',
      der.time(Date.UTC(2050, 0)),
      '180f32303530303130313030303030305a',
    ],
    ['a context-specific element', der.contextSpecific(3, der.sequence()), 'a3023000'],
  ])('encodes %s', (_, written, expected) => {
    expect(hex(written)).toBe(expected)
  })

  it.each([
    [0, '0400'],
    [127, '047f'],
    [128, '048180'],
    [256, '04820100'],
    [65536, '0483010000'],
  ])('encodes the length %i in the shortest form', (length, expected) => {
    expect(hex(der.octets(Buffer.alloc(length)).subarray(0, expected.length / 2))).toBe(expected)
  })

  it('survives a round trip', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (content) => {
        expect(wholeBytes(readOnly(der.bits(content), tags.bitString))).toEqual(
          Buffer.from(content),
        )
      }),
    )
    const arcs = fc.array(fc.nat(2 ** 31 - 1), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(fc.nat(1), fc.nat(39), arcs, (first, second, rest) => {
        const text = [first, second, ...rest].join('.')
        expect(objectIdentifier(readOnly(der.identifier(text), tags.objectIdentifier))).toBe(text)
      }),
    )
  })
})
