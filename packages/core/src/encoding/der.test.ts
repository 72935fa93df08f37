import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { thrownBy } from '@machinist/testing/thrown-by'
import {
  DerError,
  objectIdentifier,
  readElements,
  readMembers,
  readOnly,
  wholeBytes,
} from './der.ts'

const hex = (text: string): Uint8Array => Buffer.from(text.replaceAll(' ', ''), 'hex')
const shown = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

describe('DER', () => {
  it('is a sequence of elements', () => {
    const read = readElements(hex('0201 05 3003 020107'))
    expect(read.map(({ tag, content }) => [tag, shown(content)])).toEqual([
      [2, '05'],
      [0x30, '020107'],
    ])
    expect(shown(read[1]!.whole)).toBe('3003020107')
  })

  it('supports long lengths', () => {
    const [only] = readElements(hex(`0481 80 ${'00'.repeat(128)}`))
    expect(only!.content).toHaveLength(128)
  })

  it.each([
    ['02', 'asn1: syntax error: data truncated'],
    ['020201', 'asn1: syntax error: data truncated'],
    ['0482 01', 'asn1: syntax error: data truncated'],
    ['0480 0000', 'asn1: syntax error: indefinite length found (not DER)'],
    ['048101 00', 'asn1: structure error: non-minimal length'],
    ['04820010', 'asn1: structure error: superfluous leading zeros in length'],
    ['04850000000001', 'asn1: structure error: length too large'],
    ['1f0100', 'asn1: structure error: tags of many bytes'],
  ])('rejects %s', (text, problem) => {
    expect(thrownBy(() => readElements(hex(text)))).toEqual(new DerError(problem.slice(6)))
  })

  it('is a single element where one is expected', () => {
    expect(shown(readOnly(hex('020105'), 2).content)).toBe('05')
    expect(() => readOnly(hex('02010500'), 2)).toThrow('asn1: syntax error: trailing data')
    expect(() => readOnly(hex('020105'), 0x30)).toThrow(
      "asn1: structure error: tags don't match (16 vs 2)",
    )
  })

  it('has members with the expected tags', () => {
    const [sequence] = readElements(hex('3006 020105 040107'))
    expect(readMembers(sequence!, [2, undefined]).map(({ tag }) => tag)).toEqual([2, 4])
    expect(() => readMembers(sequence!, [2, 2])).toThrow("tags don't match (2 vs 4)")
    expect(() => readMembers(sequence!, [2, 4, 2])).toThrow('sequence truncated')
  })

  it.each([
    ['0603 55040a', '2.5.4.10'],
    ['0606 2a864886f70d', '1.2.840.113549'],
    ['0603 2b6570', '1.3.101.112'],
    ['0602 8837', '2.999'],
  ])('decodes the object identifier %s as %s', (text, name) => {
    expect(objectIdentifier(readElements(hex(text))[0]!)).toBe(name)
  })

  it.each(['0600', '060188', '0606 2affffffffff'])('rejects the object identifier %s', (text) => {
    expect(() => objectIdentifier(readElements(hex(text))[0]!)).toThrow(DerError)
  })

  it('decodes bit strings without padding bits', () => {
    expect(shown(wholeBytes(readElements(hex('030300aabb'))[0]!))).toBe('aabb')
    expect(() => wholeBytes(readElements(hex('0300'))[0]!)).toThrow('zero length BIT STRING')
    expect(() => wholeBytes(readElements(hex('030207aa'))[0]!)).toThrow('invalid padding bits')
  })

  it('of any bytes is parsed completely or rejected', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const refused = thrownBy(() => readElements(bytes))
        const read = refused === undefined ? readElements(bytes) : []
        const whole = shown(Buffer.concat(read.map((element) => element.whole)))
        expect(refused instanceof DerError || whole === shown(bytes)).toBe(true)
      }),
      { numRuns: 500 },
    )
  })

  it('survives a round trip', () => {
    const element = fc
      .tuple(fc.constantFrom(0x02, 0x03, 0x04, 0x30, 0xa0), fc.uint8Array({ maxLength: 300 }))
      .map(([tag, content]) => ({ tag, content }))
    fc.assert(
      fc.property(fc.array(element, { maxLength: 5 }), (elements) => {
        const read = readElements(Buffer.concat(elements.map(written)))
        expect(read.map(({ tag, content }) => [tag, shown(content)])).toEqual(
          elements.map(({ tag, content }) => [tag, shown(content)]),
        )
      }),
      { numRuns: 200 },
    )
  })
})

function written({ tag, content }: { tag: number; content: Uint8Array }): Uint8Array {
  const { length } = content
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Uint8Array.from([tag, ...size]), content])
}
