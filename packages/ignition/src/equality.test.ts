import { gzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arbitraryConfig } from './arbitrary-config.fixture.ts'
import type { Config, File, Resource } from './spec/config.ts'
import { sameConfig, sameContent, sameFile } from './equality.ts'

describe('the same content', () => {
  const hello: Resource[] = [
    { source: 'data:,hello%20world%0A' },
    { source: 'data:,hello%20world%0a', compression: '' },
    { source: 'data:text/plain;charset=utf-8;base64,aGVsbG8gd29ybGQK' },
    {
      source: `data:;base64,${gzipSync('hello world\n').toString('base64')}`,
      compression: 'gzip',
    },
    { source: 'data:,hello%20world%0A', verification: { hash: 'sha512-0' } },
  ]

  it('is equal in every encoding', () => {
    for (const a of hello) for (const b of hello) expect(sameContent(a, b)).toBe(true)
  })

  it('is equal for an empty source, an empty data URL and no source', () => {
    for (const a of [undefined, {}, { source: '' }, { source: 'data:,' }]) {
      expect(sameContent(a, { source: 'data:;base64,' })).toBe(true)
    }
  })

  it('differs if one byte or the compression differs', () => {
    expect(sameContent(hello[0], { source: 'data:,hello%20world' })).toBe(false)
    expect(sameContent(hello[3], { source: hello[3]!.source! })).toBe(false)
  })

  it('at a URL is equal only with the same URL, headers and hash', () => {
    const at: Resource = { source: 'http://example.com/', httpHeaders: [{ name: 'A', value: '1' }] }
    expect(sameContent(at, { ...at, compression: '' })).toBe(true)
    expect(sameContent(at, { ...at, httpHeaders: [] })).toBe(false)
    expect(sameContent(at, { ...at, verification: { hash: 'sha512-0' } })).toBe(false)
    expect(sameContent(at, { source: 'data:,' })).toBe(false)
  })

  it('that cannot be decoded is equal only if its fields are equal', () => {
    expect(sameContent({ source: 'data:;base64,?' }, { source: 'data:;base64,?' })).toBe(true)
    expect(sameContent({ source: 'data:;base64,?' }, { source: 'data:,' })).toBe(false)
  })
})

describe('the same file', () => {
  const bare: File = { path: '/a' }
  it.each<[string, File, boolean]>([
    [
      'explicit defaults',
      { path: '/a', mode: 420, user: { id: 0 }, group: { name: 'root' } },
      true,
    ],
    ['an empty owner', { path: '/a', user: {}, group: { name: '' } }, true],
    ['overwrite', { path: '/a', overwrite: true }, true],
    ['empty contents', { path: '/a', contents: { source: 'data:,' }, append: [] }, true],
    ['another path', { path: '/b' }, false],
    ['another mode', { path: '/a', mode: 384 }, false],
    ['another owner', { path: '/a', user: { name: 'core' } }, false],
    ['another group', { path: '/a', group: { id: 1000 } }, false],
    ['other contents', { path: '/a', contents: { source: 'data:,x' } }, false],
    ['something appended', { path: '/a', append: [{ source: 'data:,x' }] }, false],
  ])('%s', (_, file, same) => {
    expect(sameFile(bare, file)).toBe(same)
    expect(sameFile(file, bare)).toBe(same)
  })
})

describe('the same config', () => {
  const of = (rest: object): Config => ({ ignition: { version: '3.5.0' }, ...rest })
  it.each<[string, object, object, boolean]>([
    ['nothing, in any form', {}, { storage: { files: [], disks: null }, passwd: {} }, true],
    ['key order', { a: 1 }, { b: 2 }, true],
    [
      'a plain zero and its absence',
      { storage: { disks: [{ device: '/d', partitions: [{ label: 'a', number: 0 }] }] } },
      { storage: { disks: [{ device: '/d', partitions: [{ label: 'a' }] }] } },
      true,
    ],
    [
      'an explicit zero and its absence',
      { ignition: { version: '3.5.0', timeouts: { httpTotal: 0 } } },
      { ignition: { version: '3.5.0', timeouts: {} } },
      false,
    ],
    [
      'an empty item and its absence',
      { ignition: { version: '3.5.0', config: { merge: [{}] } } },
      {},
      false,
    ],
    [
      'another order',
      { storage: { files: [{ path: '/a' }, { path: '/b' }] } },
      { storage: { files: [{ path: '/b' }, { path: '/a' }] } },
      false,
    ],
    ['another version', { ignition: { version: '3.4.0' } }, {}, false],
  ])('%s', (_, a, b, same) => {
    expect(sameConfig(of(a), of(b))).toBe(same)
  })
})

describe('every equality', () => {
  const source = fc.constantFrom(
    'data:,',
    '',
    'data:,a',
    'data:,%61',
    'data:;base64,YQ==',
    'data:;base64,?',
    'http://a/',
    'http://b/',
  )
  const resource = fc.record(
    { source, compression: fc.constantFrom('', 'gzip') },
    { requiredKeys: [] },
  )
  const owner = fc.record(
    { id: fc.constantFrom(0, 1), name: fc.constantFrom('', 'root', 'core') },
    { requiredKeys: [] },
  )
  const file = fc.record(
    {
      path: fc.constantFrom('/a', '/b'),
      contents: resource,
      append: fc.array(resource, { maxLength: 1 }),
      mode: fc.constantFrom(420, 384),
      user: owner,
      group: owner,
      overwrite: fc.boolean(),
    },
    { requiredKeys: ['path'] },
  )

  const isEquivalence =
    <T>(same: (a: T, b: T) => boolean) =>
    (a: T, b: T, c: T): void => {
      expect(same(a, a)).toBe(true)
      expect(same(a, b)).toBe(same(b, a))
      expect(!same(a, b) || !same(b, c) || same(a, c)).toBe(true)
    }

  it('of content is an equivalence relation', () => {
    fc.assert(fc.property(resource, resource, resource, isEquivalence<Resource>(sameContent)))
    expect.hasAssertions()
  })

  it('of files is an equivalence relation', () => {
    const property = fc.property(file, file, file, isEquivalence<File>(sameFile))
    fc.assert(property, { numRuns: 500 })
    expect.hasAssertions()
  })

  it('of configs is an equivalence relation, and detects every difference of the JSON', () => {
    const config = arbitraryConfig()
    const similar = fc
      .tuple(config, config)
      .chain(([a, b]) =>
        fc.tuple(...Array.from({ length: 3 }, () => fc.constantFrom(a, b, structuredClone(a)))),
      )
    const text = (one: Config): string => JSON.stringify(one, sortedWithoutNothing)
    fc.assert(
      fc.property(similar, ([a, b, c]) => {
        isEquivalence<Config>(sameConfig)(a!, b!, c!)
        expect(sameConfig(a!, b!)).toBe(text(a!) === text(b!))
      }),
      { numRuns: 200 },
    )
    expect.hasAssertions()
  })
})

function sortedWithoutNothing(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const members = Object.entries(value).map(
    ([key, inner]) => [key, sortedWithoutNothing(key, inner)] as const,
  )
  const kept = members.filter(([, inner]) => !/^(\{\}|\[\])$/.test(JSON.stringify(inner)))
  return Object.fromEntries(kept.sort(([one], [other]) => (one < other ? -1 : 1)))
}
