import { gzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeBase64, gunzip, isBase64, lenientUtf8, utf8Length } from './bytes.ts'

describe('UTF-8', () => {
  it('counts bytes, not characters', () => {
    expect(['', 'a', 'ä', '€', '😀'].map(utf8Length)).toEqual([0, 1, 2, 3, 4])
  })

  it.each([
    ['ff', '\ufffd'],
    ['61ff62', 'a\ufffdb'],
    // A truncated sequence: each byte is replaced.
    ['e282', '\ufffd\ufffd'],
    ['e28261', '\ufffd\ufffda'],
    // An overlong encoding, a surrogate, a code point beyond U+10FFFF.
    ['c0af', '\ufffd\ufffd'],
    ['eda080', '\ufffd\ufffd\ufffd'],
    ['f4908080', '\ufffd\ufffd\ufffd\ufffd'],
    ['f09f9880ff', '😀\ufffd'],
    ['efbbbf61', '\ufeffa'],
  ])('replaces each invalid byte: %s', (hex, text) => {
    expect(lenientUtf8(Buffer.from(hex, 'hex'))).toBe(text)
  })

  it('survives a round trip, at any offset of a buffer', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const bytes = Buffer.from(`<${text}>`).subarray(1, -1)
        expect(lenientUtf8(bytes)).toBe(text)
        expect(utf8Length(text)).toBe(bytes.length)
      }),
    )
  })

  it('keeps the valid characters of any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const text = lenientUtf8(bytes)
        expect(text.isWellFormed()).toBe(true)
        expect(text.replaceAll('\ufffd', '')).toBe(
          new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes).replaceAll('\ufffd', ''),
        )
      }),
    )
  })
})

describe('base64', () => {
  it.each(['', 'YQ==', 'YWE=', 'YWFh', 'YR==', '+/+/'])('accepts %j', (text) => {
    expect(isBase64(text)).toBe(true)
  })

  it.each([
    'Y',
    'YQ',
    'YQ=',
    '====',
    'Y===',
    '=',
    'YQ==YQ==',
    'YW Fh',
    'YWF\n',
    '_-_-',
    'ä===',
    '\0\0\0\0',
  ])('rejects %j', (text) => {
    expect(isBase64(text)).toBe(false)
    expect(() => decodeBase64(text)).toThrow('the content is not valid base64')
  })

  it('is validated independently of its length and of the position of an invalid character', () => {
    const long = Buffer.from('long enough to be read natively '.repeat(1500)).toString('base64')
    expect([isBase64(long), isBase64(`${long}YQ==`), isBase64(`${long}YQ=`)]).toEqual([
      true,
      true,
      false,
    ])
    const anything = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 2 }),
      fc.constantFrom('-', '_', '=', ' ', '\n', '\0', 'ī', '\u012b', '\uff21', '+', '/', 'A', '9'),
    )
    fc.assert(
      fc.property(
        anything,
        fc.nat(long.length - 2),
        fc.integer({ min: 1, max: 70 }),
        (odd, at, kb) => {
          const end = Math.min(long.length, kb * 1024)
          const start = at % end
          const text = `${long.slice(0, start)}${odd}${long.slice(start + odd.length, end)}`
          const body = text.replace(/={1,2}$/, '')
          const expected = text.length % 4 === 0 && /^[A-Za-z0-9+/]*$/.test(body)
          expect(isBase64(text)).toBe(expected)
        },
      ),
      { numRuns: 400 },
    )
  })

  it('survives a round trip', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const text = Buffer.from(bytes).toString('base64')
        expect(Buffer.from(decodeBase64(text)).equals(bytes)).toBe(true)
      }),
    )
  })
})

describe('gunzip', () => {
  it('decompresses up to the limit', () => {
    const packed = gzipSync('hello')
    expect(Buffer.from(gunzip(packed, 5)).toString()).toBe('hello')
    expect(() => gunzip(packed, 4)).toThrow('the content decompresses to more than 4 bytes')
  })

  it('rejects a decompression bomb', () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000))
    expect(() => gunzip(bomb, 1000)).toThrow('the content decompresses to more than 1000 bytes')
  })

  it.each(['', 'hello', '1f8b', '1f8b0800000000000000'])('rejects %j', (hex) => {
    expect(() => gunzip(Buffer.from(hex, 'hex'), 100)).toThrow(/^the content is not valid gzip$/)
  })

  it('throws only InvalidInput, for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        expect(outcome(() => gunzip(bytes, 10).length <= 10)).toMatch(/^(true|InvalidInput)$/)
      }),
    )
  })
})

function outcome(act: () => unknown): string {
  try {
    return String(act())
  } catch (error) {
    return (error as Error).name
  }
}
