import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  pinnedDigest,
  poolOfRendered,
  readPinnedDigests,
  versionOf,
  writePinnedDigests,
} from './pinned-images.ts'

const set = (name: string, uid: string, generation: number) => ({ name, uid, generation })

describe('the digest of image sets', () => {
  it('is short and the same in any order', () => {
    const sets = [set('a', 'u1', 1), set('b', 'u2', 3)]
    expect(pinnedDigest(sets)).toMatch(/^[0-9a-f]{32}$/)
    expect(pinnedDigest(sets)).toBe(pinnedDigest([...sets].reverse()))
  })

  it.each([
    ['a set more', [set('a', 'u1', 1), set('b', 'u2', 1)]],
    ['a set less', []],
    ['other images', [set('a', 'u1', 2)]],
    ['a set that was made anew', [set('a', 'u9', 1)]],
    ['another name', [set('c', 'u1', 1)]],
  ])('is another one with %s', (_, sets) => {
    expect(pinnedDigest(sets)).not.toBe(pinnedDigest([set('a', 'u1', 1)]))
  })

  it('goes by what the server says of an object', () => {
    const metadata = { name: 'a', uid: 'u1', generation: 4, labels: { x: 'y' } }
    expect(versionOf({ metadata })).toEqual({ name: 'a', uid: 'u1', generation: 4 })
    expect(versionOf({ metadata: { name: 'a' } })).toEqual({ name: 'a', uid: '', generation: 1 })
  })
})

describe('the annotation', () => {
  it('has the pools in order', () => {
    expect(writePinnedDigests(new Map(Object.entries({ worker: 'b', infra: 'a' })))).toBe(
      '{"infra":"a","worker":"b"}',
    )
    expect(writePinnedDigests(new Map())).toBeUndefined()
  })

  it('says nothing where it is absent, and is not understood where it is something else', () => {
    expect(readPinnedDigests(undefined)).toEqual(new Map())
    for (const text of ['', '[]', '"x"', 'null', '{'])
      expect(readPinnedDigests(text)).toBeUndefined()
    expect(readPinnedDigests('{"worker":1,"infra":"a"}')).toEqual(new Map([['infra', 'a']]))
  })

  it('is read as it was written, and any text is read without a crash', () => {
    const pool = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?$/)
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(pool, pool), { selector: ([a]) => a }), (entries) => {
        const digests = new Map(entries)
        expect(readPinnedDigests(writePinnedDigests(digests))).toEqual(digests)
      }),
      { numRuns: 50 },
    )
    fc.assert(
      fc.property(fc.string(), (text) => {
        const read = readPinnedDigests(text)
        expect(read === undefined || read instanceof Map).toBe(true)
      }),
      { numRuns: 100 },
    )
  })
})

describe('the pool of a rendered configuration', () => {
  it.each([
    ['rendered-worker-0123456789abcdef0123456789abcdef', 'worker'],
    ['rendered-my-own-pool-1', 'my-own-pool'],
    ['rendered-worker', undefined],
    ['rendered-', undefined],
    ['rendered-worker-', undefined],
    ['rendered--1', undefined],
    ['not-yet-set', undefined],
    ['', undefined],
  ])('%s is %s', (config, pool) => {
    expect(poolOfRendered(config)).toBe(pool)
  })
})
