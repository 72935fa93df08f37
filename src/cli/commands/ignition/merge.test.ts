import { gzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arbitraryConfig } from '@machinist/ignition/arbitrary-config.fixture'
import { InvalidInput } from '@machinist/core/errors'
import { mergeTexts } from './merge.ts'

const of = (origin: string, value: unknown): { text: string; origin: string } => ({
  text: JSON.stringify(value),
  origin,
})
const file = (path: string, source: string): object => ({ path, contents: { source } })

describe('merging texts', () => {
  it('prints one config of the newest version', () => {
    const text = mergeTexts([
      of('old.ign', {
        ignition: { version: '2.2.0' },
        storage: { files: [{ filesystem: 'root', mode: 420, ...file('/etc/motd', 'data:,old') }] },
      }),
      of('new.ign', {
        ignition: { version: '3.1.0' },
        storage: { files: [file('/etc/motd', 'data:,new')] },
      }),
    ])
    expect(text).toBe(`{
  "ignition": {
    "version": "3.5.0"
  },
  "storage": {
    "files": [
      {
        "path": "/etc/motd",
        "overwrite": true,
        "contents": {
          "source": "data:,new"
        },
        "mode": 420
      }
    ]
  }
}
`)
  })

  it('does not mark plain contents as compressed if the replaced contents were', () => {
    const packed = `data:;base64,${gzipSync('foo\n').toString('base64')}`
    const merged = mergeTexts([
      of('a', {
        ignition: { version: '3.2.0' },
        storage: {
          files: [
            { path: '/etc/motd', mode: 420, contents: { source: packed, compression: 'gzip' } },
          ],
        },
      }),
      of('b', {
        ignition: { version: '3.2.0' },
        storage: { files: [file('/etc/motd', 'data:,hello%20world')] },
      }),
    ])
    expect(JSON.parse(merged)).toEqual({
      ignition: { version: '3.5.0' },
      storage: {
        files: [{ path: '/etc/motd', mode: 420, contents: { source: 'data:,hello%20world' } }],
      },
    })
  })

  it('reads compressed bytes', () => {
    const packed = gzipSync('{"ignition":{"version":"3.2.0"}}')
    const base64 = Buffer.from(packed.toString('base64'))
    const merged = mergeTexts([
      { text: packed, origin: 'a' },
      { text: base64, origin: 'b' },
    ])
    expect(JSON.parse(merged)).toEqual({ ignition: { version: '3.5.0' } })
  })

  it('of nothing is an empty config', () => {
    expect(JSON.parse(mergeTexts([]))).toEqual({ ignition: { version: '3.5.0' } })
  })

  it('names the file that cannot be read', () => {
    const good = of('good.ign', { ignition: { version: '3.5.0' } })
    expect(() => mergeTexts([good, { text: '{', origin: 'bad.ign' }])).toThrow(
      /^bad\.ign: error at \$/,
    )
    expect(() => mergeTexts([good, of('new.ign', { ignition: { version: '4.0.0' } })])).toThrow(
      /^new\.ign: error at \$\.ignition\.version/,
    )
    const broken = { text: Buffer.from([0x1f, 0x8b, 0]), origin: 'broken.gz' }
    expect(() => mergeTexts([good, broken])).toThrow('broken.gz: the content is not valid gzip')
  })

  it('names the first problems', () => {
    const files = Array.from({ length: 30 }, (_, i) => ({ path: `relative-${i}` }))
    const bad = of('bad.ign', { ignition: { version: '3.5.0' }, storage: { files } })
    expect(() => mergeTexts([bad])).toThrow(/files\[0\].*; .*files\[9\].*; and 20 more$/)
    expect(() => mergeTexts([bad])).toThrow(InvalidInput)
    expect(() => mergeTexts([bad])).not.toThrow('\n')
  })

  it('rejects an invalid result of valid inputs', () => {
    const [a, b] = ['data:,a', undefined].map((source, i) =>
      of(`${i}.ign`, {
        ignition: { version: '3.5.0' },
        storage: {
          files: [
            source === undefined
              ? { path: '/a', user: { name: 'core' } }
              : { path: '/a', user: { id: 1 }, contents: { source } },
          ],
        },
      }),
    )
    expect(() => mergeTexts([a!, b!])).toThrow(
      /^the merged config is not valid: error at \$\.storage\.files\[0\]\.user/,
    )
  })

  it('returns a single config of the newest version', () => {
    fc.assert(
      fc.property(arbitraryConfig(), (config) => {
        expect(JSON.parse(mergeTexts([of('a', config)]))).toEqual(config)
      }),
      { numRuns: 50 },
    )
  })
})
