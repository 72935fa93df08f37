import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytesOf, keysOf } from './read-ca.ts'

const read = (data: Record<string, string>, binaryData: Record<string, string> = {}): unknown => {
  const bytes = bytesOf({ data, binaryData }, 'k')
  return bytes && Buffer.from(bytes).toString()
}
const pem = '-----BEGIN CERTIFICATE-----\nQQ==\n-----END CERTIFICATE-----\n'

describe('a CA in a ConfigMap', () => {
  it.each([
    ['binary data comes first', { k: 'text' }, { k: 'YmluYXJ5' }, 'binary'],
    ['text that looks like base64 is decoded', { k: 'aGVsbG8=' }, {}, 'hello'],
    ['base64 may span several lines', { k: 'aGVs\r\nbG8=\n' }, {}, 'hello'],
    ['PEM is not decoded', { k: pem }, {}, pem],
    ['invalid base64 is not decoded', { k: 'aGVsbG8' }, {}, 'aGVsbG8'],
    ['white space stays', { k: ' a\r\n' }, {}, ' a\r\n'],
    ['an empty text is empty', { k: '' }, {}, ''],
    ['another key does not count', { other: 'x' }, {}, undefined],
  ])('%s', (_, data, binaryData, text) => {
    expect(read(data, binaryData)).toBe(text)
  })

  it('has no key that is only in the prototype of objects', () => {
    expect(bytesOf({ data: {} }, 'constructor')).toBeUndefined()
  })

  it('keeps binary data unchanged', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const binary = { k: Buffer.from(bytes).toString('base64') }
        expect([...bytesOf({ binaryData: binary }, 'k')!]).toEqual([...bytes])
      }),
    )
  })

  it('has keys in order, text before binary', () => {
    const metadata = { name: 'x' }
    const one = { metadata, data: { b: '', a: '' }, binaryData: { d: '', c: '' } }
    expect(keysOf(one)).toEqual(['a', 'b', 'c', 'd'])
    expect(keysOf({ metadata })).toEqual([])
  })
})
