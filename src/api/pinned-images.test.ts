import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  pinnedDigest,
  poolOfRendered,
  readPinnedDigests,
  pinnedImageSetVersionOf,
  writePinnedDigests,
} from './pinned-images.ts'

const set = (name: string, uid: string, generation: number) => ({ name, uid, generation })

describe('the digest of PinnedImageSets', () => {
  it('has 32 digits and does not depend on the order', () => {
    const sets = [set('a', 'u1', 1), set('b', 'u2', 3)]
    expect(pinnedDigest(sets)).toMatch(/^[0-9a-f]{32}$/)
    expect(pinnedDigest(sets)).toBe(pinnedDigest([...sets].reverse()))
  })

  it.each([
    ['an added set', [set('a', 'u1', 1), set('b', 'u2', 1)]],
    ['a removed set', []],
    ['a new generation', [set('a', 'u1', 2)]],
    ['a recreated set', [set('a', 'u9', 1)]],
    ['another name', [set('c', 'u1', 1)]],
  ])('changes with %s', (_, sets) => {
    expect(pinnedDigest(sets)).not.toBe(pinnedDigest([set('a', 'u1', 1)]))
  })

  it('uses name, UID and generation of an object', () => {
    const metadata = { name: 'a', uid: 'u1', generation: 4, labels: { x: 'y' } }
    expect(pinnedImageSetVersionOf({ metadata })).toEqual({ name: 'a', uid: 'u1', generation: 4 })
    expect(pinnedImageSetVersionOf({ metadata: { name: 'a' } })).toEqual({
      name: 'a',
      uid: '',
      generation: 1,
    })
  })
})

describe('the annotation', () => {
  it('lists the pools in order', () => {
    expect(writePinnedDigests(new Map(Object.entries({ worker: 'b', infra: 'a' })))).toBe(
      '{"infra":"a","worker":"b"}',
    )
    expect(writePinnedDigests(new Map())).toBeUndefined()
  })

  it('is empty if absent, and rejected if it is not a JSON object', () => {
    expect(readPinnedDigests(undefined)).toEqual(new Map())
    for (const text of ['', '[]', '"x"', 'null', '{'])
      expect(readPinnedDigests(text)).toBeUndefined()
    expect(readPinnedDigests('{"worker":1,"infra":"a"}')).toEqual(new Map([['infra', 'a']]))
  })

  it('survives a round trip, and parsing never throws', () => {
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

describe('the pool of a rendered config', () => {
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
