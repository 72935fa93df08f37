import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arbitraryConfig } from './arbitrary-config.fixture.ts'
import type { Config, File } from './spec/config.ts'
import { inlineContent } from './content.ts'
import { mergeForNodes } from './merge-for-nodes.ts'
import { merge } from './merge.ts'

const files = (...all: File[]): Config => ({
  ignition: { version: '3.5.0' },
  storage: { files: all },
})
const source = 'data:;base64,H4sIAAAAAAAAA0vLz+cCAKhlMn4EAAAA'
const packed: File = { path: '/etc/test2', contents: { source, compression: 'gzip' } }

describe('contents of a node', () => {
  it('are those of the later config, without inherited compression', () => {
    const plain: File = { path: '/etc/test2', contents: { source: 'data:,new' } }
    const merged = mergeForNodes([
      files({ path: '/etc/test1', contents: { source: 'data:,old' } }),
      files({ path: '/etc/test1', contents: { source: 'data:,new' } }),
      files(packed),
      files(plain),
    ])
    expect(merged.storage?.files).toEqual([
      { path: '/etc/test1', contents: { source: 'data:,new' }, overwrite: true },
      { path: '/etc/test2', contents: { source: 'data:,new' }, overwrite: true },
    ])
  })

  it('decode to the later text also with an empty compression', () => {
    const later = { source: 'data:,hello%20world', compression: '' }
    const [file] = mergeForNodes([files(packed), files({ path: '/etc/test2', contents: later })])
      .storage!.files!
    expect(Buffer.from(inlineContent(file!.contents)).toString()).toBe('hello world')
    expect(file!.contents).toEqual({ source: 'data:,hello%20world' })
  })

  it('stay compressed if a later config only changes the mode', () => {
    const merged = mergeForNodes([files(packed), files({ path: '/etc/test2', mode: 384 })])
    expect(merged.storage?.files).toEqual([{ ...packed, mode: 384, overwrite: true }])
  })

  it('do not keep the hash of the replaced contents', () => {
    const merged = mergeForNodes([
      files({ path: '/a', contents: { source: 'data:,old', verification: { hash: 'sha512-0' } } }),
      files({ path: '/a', contents: { source: 'data:,new' } }),
    ])
    expect(merged.storage?.files).toEqual([
      { path: '/a', contents: { source: 'data:,new' }, overwrite: true },
    ])
  })

  it('keep fields of a later config that does not replace the source', () => {
    const merged = mergeForNodes([
      files({ path: '/a', contents: { source: 'data:,old' } }),
      files({ path: '/a', contents: { source: 'data:,new', verification: { hash: 'sha512-1' } } }),
      files({ path: '/a', contents: { verification: { hash: 'sha512-2' } } }),
    ])
    expect(merged.storage?.files?.[0]?.contents).toEqual({
      source: 'data:,new',
      verification: { hash: 'sha512-2' },
    })
  })

  it('are inherited field by field in a plain Ignition merge', () => {
    const merged = merge([
      files(packed),
      files({ path: '/etc/test2', contents: { source: 'data:,new' } }),
    ])
    expect(merged.storage?.files?.[0]?.contents).toEqual({
      source: 'data:,new',
      compression: 'gzip',
    })
  })
})

describe('files of a node', () => {
  it('overwrite existing files by default', () => {
    const contents = { source: 'data:,test' }
    const merged = mergeForNodes([
      files({ path: '/1', contents, mode: 420 }, { path: '/2', contents, overwrite: false }),
    ])
    expect(merged.storage?.files).toEqual([
      { path: '/1', contents: { source: 'data:,test' }, mode: 420, overwrite: true },
      { path: '/2', contents: { source: 'data:,test' }, overwrite: false },
    ])
  })

  it('do not overwrite without a source, which Ignition rejects', () => {
    expect(mergeForNodes([files({ path: '/1', mode: 384 })]).storage?.files).toEqual([
      { path: '/1', mode: 384 },
    ])
  })
})

describe('for any configs', () => {
  it('the last source of a file decides its bytes', () => {
    fc.assert(
      fc.property(fc.array(arbitraryConfig(), { minLength: 1, maxLength: 4 }), (all) => {
        const plainOnly = all.map(withoutCompression)
        const untouched = merge(plainOnly).storage?.files?.map(({ contents }) => contents?.source)
        const merged = mergeForNodes(plainOnly).storage?.files
        expect(merged?.map(({ contents }) => contents?.source)).toEqual(untouched)
        expect(merged?.every(({ contents }) => contents?.compression === undefined) ?? true).toBe(
          true,
        )
      }),
      { numRuns: 100 },
    )
  })

  it('does not modify its inputs', () => {
    fc.assert(
      fc.property(fc.array(arbitraryConfig(), { maxLength: 3 }), (all) => {
        const before = JSON.stringify(all)
        mergeForNodes(all)
        expect(JSON.stringify(all)).toBe(before)
      }),
      { numRuns: 50 },
    )
  })
})

function withoutCompression(config: Config): Config {
  return JSON.parse(
    JSON.stringify(config, (key, value: unknown) => (key === 'compression' ? undefined : value)),
  ) as Config
}
