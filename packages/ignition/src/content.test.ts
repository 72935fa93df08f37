import { gzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { thrownBy } from '@machinist/testing/thrown-by'
import { encodeDataUrl } from '@machinist/core/encoding/data-url'
import { InvalidInput } from '@machinist/core/errors'
import { base64Source, checkHash, contentOf, inlineContent } from './content.ts'
import type { Resource } from './spec/config.ts'

const text = (resource: Resource | undefined): string =>
  Buffer.from(inlineContent(resource)).toString('utf8')

describe('content', () => {
  it.each<[string, Resource | undefined, string]>([
    ['no contents at all', undefined, ''],
    ['no source', {}, ''],
    ['an empty source', { source: '' }, ''],
    ['an empty data URL', { source: 'data:,' }, ''],
    ['percent-encoded text', { source: 'data:,hello%20world%0A' }, 'hello world\n'],
    [
      'base64',
      { source: 'data:text/plain;charset=utf-8;base64,aGVsbG8gd29ybGQK' },
      'hello world\n',
    ],
    [
      'gzip in base64',
      { source: 'data:;base64,H4sIAAAAAAAAA0vLz+cCAKhlMn4EAAAA', compression: 'gzip' },
      'foo\n',
    ],
    ['an empty compression', { source: 'data:,x', compression: '' }, 'x'],
  ])('of %s', (_, resource, expected) => {
    expect(text(resource)).toBe(expected)
  })

  it('at a URL is not fetched', () => {
    const url = 'https://user:password@example.com/file'
    expect(contentOf({ source: url })).toEqual({ inline: false, url })
    expect(() => inlineContent({ source: url })).toThrow(
      'the content is not inline but at a https: URL; only data: URLs are supported here',
    )
    expect(() => inlineContent({ source: url })).not.toThrow('password')
  })

  it('in an unknown compression is rejected', () => {
    expect(() => contentOf({ source: 'data:,x', compression: 'xz' })).toThrow(
      'unsupported compression type "xz"',
    )
  })

  it('that is not valid gzip is rejected', () => {
    expect(() => contentOf({ source: 'data:,x', compression: 'gzip' })).toThrow(InvalidInput)
  })

  it('beyond the limit is rejected, compressed or not', () => {
    const bomb = gzipSync(Buffer.alloc(100_000)).toString('base64')
    const packed = { source: `data:;base64,${bomb}`, compression: 'gzip' }
    expect(() => contentOf(packed, 99_999)).toThrow('decompresses to more than 99999 bytes')
    expect(contentOf(packed, 100_000)).toMatchObject({ inline: true })
    expect(() => contentOf({ source: 'data:,four' }, 3)).toThrow('larger than 3 bytes')
  })

  it('survives every encoding', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const packed = base64Source(gzipSync(bytes))
        expect(inlineContent({ source: base64Source(bytes) })).toEqual(Buffer.from(bytes))
        expect(inlineContent({ source: encodeDataUrl(bytes) })).toEqual(Buffer.from(bytes))
        expect(inlineContent({ source: packed, compression: 'gzip' })).toEqual(Buffer.from(bytes))
      }),
      { numRuns: 200 },
    )
  })

  it('throws only InvalidInput, for any source', () => {
    const source = fc.oneof(
      fc.string(),
      fc.string().map((rest) => `data:${rest}`),
    )
    const compression = fc.constantFrom('', 'gzip', 'xz')
    fc.assert(
      fc.property(source, compression, (url, packing) => {
        const error = thrownBy(() => contentOf({ source: url, compression: packing }, 1000))
        expect(error === undefined || error instanceof InvalidInput).toBe(true)
      }),
      { numRuns: 500 },
    )
  })
})

describe('content as a source', () => {
  it('is base64 of UTF-8 text', () => {
    expect(base64Source('hello world\n')).toBe(
      'data:text/plain;charset=utf-8;base64,aGVsbG8gd29ybGQK',
    )
    expect(base64Source(Buffer.from([0xff, 0x00]))).toBe(
      'data:text/plain;charset=utf-8;base64,/wA=',
    )
  })
})

describe('hashes', () => {
  const abc = Buffer.from('abc')
  const sha256 = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
  const sha512 =
    'ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f'
  const check = (hash?: string): string =>
    checkHash({ verification: hash === undefined ? {} : { hash } }, abc)

  it.each([
    ['sha256', `sha256-${sha256}`, 'matches'],
    ['sha512', `sha512-${sha512}`, 'matches'],
    ['upper case', `sha256-${sha256.toUpperCase()}`, 'matches'],
    ['another one', `sha256-${sha256.replace('b', 'c')}`, 'differs'],
    ['half of a hash', `sha512-${sha512.slice(0, 64)}`, 'differs'],
    ['none', undefined, 'no hash'],
  ])('%s', (_, hash, result) => {
    expect(check(hash)).toBe(result)
  })

  it('of another algorithm cannot be checked', () => {
    expect(() => check('md5-900150983cd24fb0d6963f7d28e17f72')).toThrow('sha512-… or sha256-…')
    expect(() => check(sha256)).toThrow(InvalidInput)
  })
})
