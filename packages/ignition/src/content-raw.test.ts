import { gzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { thrownBy } from '@machinist/testing/thrown-by'
import { InvalidInput } from '@machinist/core/errors'
import { decodeRawConfig } from './content-raw.ts'

const json = '{"ignition":{"version":"3.2.0"}}\n'
const packed = gzipSync(json)
const decoded = (raw: string | Uint8Array): string =>
  Buffer.from(decodeRawConfig(Buffer.from(raw))).toString('utf8')

describe('a raw config', () => {
  it('is decoded from plain JSON, gzip and gzip in base64', () => {
    expect(decoded(json)).toBe(json)
    expect(decoded(packed)).toBe(json)
    expect(decoded(packed.toString('base64'))).toBe(json)
  })

  it('may have line breaks in its base64', () => {
    const lines = packed.toString('base64').replaceAll(/(.{20})/g, '$1\r\n')
    expect(decoded(`${lines}\n`)).toBe(json)
  })

  it('is decoded from a gzip file of another tool', () => {
    const fromGzip9 =
      'H4sIAJpx8mICA22PwQ6CMBBE73xF04QbQlM9cfM7jIcGKjSWrmkXPZD+u9tKhBhPm3k7s5NdCsa4GZxBA463bCFN5Kl9+AB+rGUtOOFYJW9A8GrQm/VmrA4kL1myFefVQ+GYTjQau2bU1sLhBf6uPa820xxIt7sYMaem1MA9APLvIu5SHTjUDsNvMsDsu5ztFaq2yq2lFNRr+1Kc/1+boE+ZkxQri3le09dFLN6B94naJQEAAA=='
    expect(JSON.parse(decoded(fromGzip9))).toEqual({
      ignition: { version: '3.2.0' },
      storage: {
        files: [
          {
            path: '/etc/hello-worker',
            user: { name: 'root' },
            contents: { source: 'data:,hello%20world%0A' },
            mode: 420,
          },
        ],
      },
    })
  })

  it('with only one byte of the magic number is not gzip', () => {
    for (const almost of [Buffer.from([0x1f, 0x7b, 0x7d]), Buffer.from([0x7b, 0x8b, 0x7d])]) {
      expect(decodeRawConfig(almost)).toEqual(almost)
    }
  })

  it('in base64 that is not gzip is returned unchanged', () => {
    const plain = Buffer.from(json).toString('base64')
    expect(decoded(plain)).toBe(plain)
  })

  it('of invalid gzip is rejected', () => {
    expect(() => decodeRawConfig(packed.subarray(0, 20))).toThrow('not valid gzip')
    const broken = Buffer.from(packed.subarray(0, 20)).toString('base64')
    expect(() => decodeRawConfig(Buffer.from(broken))).toThrow('not valid gzip')
  })

  it('is rejected beyond the limit, before or after decompression', () => {
    const bomb = gzipSync(Buffer.alloc(100_000, ' '))
    expect(() => decodeRawConfig(bomb, 50_000)).toThrow('decompresses to more than 50000 bytes')
    expect(() => decodeRawConfig(Buffer.alloc(11), 10)).toThrow(
      'the config is larger than 10 bytes',
    )
  })

  it('throws only InvalidInput, for any bytes', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      fc.uint8Array({ maxLength: 60 }).map((rest) => Buffer.from([0x1f, 0x8b, 8, ...rest])),
      fc
        .uint8Array({ maxLength: 60 })
        .map((rest) => Buffer.from(Buffer.from([0x1f, 0x8b, 8, ...rest]).toString('base64'))),
    )
    fc.assert(
      fc.property(bytes, (raw) => {
        const error = thrownBy(() => decodeRawConfig(raw, 1000))
        expect(error === undefined || error instanceof InvalidInput).toBe(true)
      }),
      { numRuns: 500 },
    )
  })
})
