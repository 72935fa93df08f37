import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { contentDigest, sha256Hex } from './digest.ts'
import { canonicalJson, sameJson } from './json.ts'

describe('sameJson', () => {
  it.each([
    [{ a: 1, b: [1, { c: 2 }] }, { b: [1, { c: 2 }], a: 1 }, true],
    [{ a: 1 }, { a: 1, b: undefined }, true],
    [{ a: null }, {}, false],
    [[1, 2], [2, 1], false],
    [[], {}, false],
    [{ length: 0 }, [], false],
    ['1', 1, false],
    [{ constructor: 1 }, {}, false],
  ])('%j and %j: %s', (a, b, same) => {
    expect(sameJson(a, b)).toBe(same)
    expect(sameJson(b, a)).toBe(same)
  })

  it('agrees with the canonical form', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        expect(sameJson(a, b)).toBe(canonicalJson(a) === canonicalJson(b))
        expect(sameJson(a, JSON.parse(canonicalJson(a)))).toBe(true)
      }),
    )
  })
})

describe('digests', () => {
  it('do not depend on the order of keys or on keys with undefined', () => {
    const digest = '43258cff783fe7036d8a43033f830adfc60ec037382473548ac742b888292777'
    expect(contentDigest({ b: 2, a: 1 })).toBe(digest)
    expect(contentDigest({ a: 1, b: 2, c: undefined })).toBe(digest)
    expect(sha256Hex('{"a":1,"b":2}')).toBe(digest)
  })
})
