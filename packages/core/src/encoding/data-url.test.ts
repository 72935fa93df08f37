import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dataUrlProblem, decodeDataUrl, encodeDataUrl } from './data-url.ts'

// packages/ignition/test/corpus, topic "data URLs", compares the accepted URLs with Ignition itself.

describe('decodeDataUrl', () => {
  it.each([
    ['data:,', 'text/plain', ''],
    ['data:,a%20b%0A+c', 'text/plain', 'a b\n+c'],
    ['data:;base64,aGVsbG8=', 'text/plain', 'hello'],
    ['data:text/html;charset=utf-8,%c3%A4', 'text/html', 'ä'],
    ['data:application/json;a="b,c";base64,e30=', 'application/json', '{}'],
    ['data:x-a/b,?', 'x-a/b', '?'],
    ['data:image/,x', 'image/', 'x'],
  ])('decodes %s', (url, mediaType, text) => {
    const decoded = decodeDataUrl(url)
    expect(decoded.mediaType).toBe(mediaType)
    expect(Buffer.from(decoded.bytes).toString()).toBe(text)
  })

  it.each([
    ['http://a', 'it does not start with "data:"'],
    ['DATA:,a', 'it does not start with "data:"'],
    ['data:', 'its media type is not valid, or the comma is missing'],
    ['data:font/woff,a', 'its media type is not valid, or the comma is missing'],
    ['data:;charset,a', 'one of its parameters is not valid'],
    ['data:;a=%zz,a', 'one of its parameters is not valid'],
    ['data:;base64,a', 'its data is not valid base64'],
    ['data:,a b', 'its data contains a character that must be percent-encoded'],
    ['data:,100%', 'its data contains a "%" without two hexadecimal digits'],
  ])('reports the problem of %s', (url, problem) => {
    expect(dataUrlProblem(url)).toBe(problem)
    expect(() => decodeDataUrl(url)).toThrow(`not a valid data URL: ${problem}`)
  })

  it('never quotes the data in a message', () => {
    const secret = 'TopSecret'
    for (const url of [`data:,${secret} `, `data:;base64,${secret}`, `data:,${secret}%`]) {
      expect(dataUrlProblem(url)).not.toContain(secret)
    }
  })
})

describe('encodeDataUrl', () => {
  it('encodes all but unreserved characters', () => {
    expect(encodeDataUrl("aZ0-_.!~*'() +/=%\n")).toBe("data:,aZ0-_.!~*'()%20%2B%2F%3D%25%0A")
    expect(encodeDataUrl('ä😀')).toBe('data:,%C3%A4%F0%9F%98%80')
    expect(encodeDataUrl(Uint8Array.of(0, 9, 0x41, 0x80, 0xff))).toBe('data:,%00%09A%80%FF')
    expect(encodeDataUrl('\ud800')).toBe('data:,%EF%BF%BD')
  })

  it('survives a round trip', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(Buffer.from(decodeDataUrl(encodeDataUrl(bytes)).bytes).equals(bytes)).toBe(true)
      }),
    )
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(Buffer.from(decodeDataUrl(encodeDataUrl(text)).bytes).toString()).toBe(text)
      }),
    )
  })
})

describe('any text', () => {
  const pieces = fc.constantFrom(
    ...'data: text/plain x-a/b ; , = base64 a " \\ %41 % YQ== / \\n \\x41 \\u0041 ä # ? ""'.split(
      ' ',
    ),
    ' ',
    '\n',
  )
  const urls = fc.array(pieces, { maxLength: 12 }).map((parts) => `data:${parts.join('')}`)

  it('decodes exactly if dataUrlProblem reports none', () => {
    fc.assert(
      fc.property(urls, (url) => {
        const expected = dataUrlProblem(url) === undefined ? 'true' : 'InvalidInput'
        expect(outcome(() => decodeDataUrl(url).bytes.length <= url.length)).toBe(expected)
      }),
      { numRuns: 2000 },
    )
  })

  it('takes time proportional to its length', () => {
    const size = 1_000_000
    const hostile = [
      `data:${'x-'.repeat(size)}`,
      `data:text/${'a'.repeat(size)}`,
      `data:;a="${'\\\\'.repeat(size)}`,
      `data:;a="${'b'.repeat(size)}`,
      `data:${';a=""'.repeat(size)}`,
      `data:;a=${'%41'.repeat(size)}`,
      `data:,${'%41'.repeat(size)}%`,
      `data:;base64,${'YWFh'.repeat(size)}=`,
    ]
    expect(hostile.map((url) => dataUrlProblem(url) !== undefined)).toEqual(hostile.map(() => true))
  })
})

function outcome(act: () => unknown): string {
  try {
    return String(act())
  } catch (error) {
    return (error as Error).name
  }
}
