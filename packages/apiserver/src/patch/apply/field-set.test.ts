import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arbitraryFieldSet } from '../../../test/patch/arbitrary.ts'
import { FieldSet } from './field-set.ts'

const runs = { numRuns: 200 }
const ab = FieldSet.from([['f:a'], ['f:a', 'f:b']])

describe('a set of fields', () => {
  it('contains the paths it was created from', () => {
    expect(ab.has(['f:a'])).toBe(true)
    expect(ab.has(['f:a', 'f:b'])).toBe(true)
    expect(ab.has(['f:b'])).toBe(false)
    expect(ab.has([])).toBe(false)
    expect(FieldSet.from([['f:a', 'f:b']]).has(['f:a'])).toBe(false)
  })

  it('ignores an empty path', () => {
    expect(FieldSet.from([[]]).isEmpty).toBe(true)
  })

  it('lists a level before nested elements, in order', () => {
    const set = FieldSet.from([['f:b'], ['f:a', 'f:z'], ['i:1'], ['v:"x"'], ['f:c'], ['k:{"n":1}']])
    expect(set.paths()).toEqual([
      ['f:b'],
      ['f:c'],
      ['k:{"n":1}'],
      ['v:"x"'],
      ['i:1'],
      ['f:a', 'f:z'],
    ])
  })

  it('removes a path with everything below it', () => {
    expect(ab.without(FieldSet.from([['f:a']])).isEmpty).toBe(true)
    expect(ab.difference(FieldSet.from([['f:a']])).paths()).toEqual([['f:a', 'f:b']])
  })
})

describe('set operations', () => {
  it('match those of sets of paths', () => {
    fc.assert(
      fc.property(arbitraryFieldSet, arbitraryFieldSet, (a, b) => {
        const [left, right] = [texts(a), texts(b)]
        expect(texts(a.union(b))).toEqual(left.union(right))
        expect(texts(a.intersection(b))).toEqual(left.intersection(right))
        expect(texts(a.difference(b))).toEqual(left.difference(right))
      }),
      runs,
    )
  })

  it('reconstruct a set from its parts', () => {
    fc.assert(
      fc.property(arbitraryFieldSet, arbitraryFieldSet, (a, b) => {
        expect(a.difference(b).union(a.intersection(b)).equals(a)).toBe(true)
        expect(a.difference(a).isEmpty).toBe(true)
        expect(a.union(a).equals(a)).toBe(true)
        expect(a.without(a).isEmpty).toBe(true)
      }),
      runs,
    )
  })

  it('leave nothing below removed paths', () => {
    fc.assert(
      fc.property(arbitraryFieldSet, arbitraryFieldSet, (a, b) => {
        const gone = b.paths()
        const isBelow = (path: readonly string[]): boolean =>
          gone.some((one) => one.every((step, i) => path[i] === step))
        expect(texts(a.without(b))).toEqual(
          new Set(
            a
              .paths()
              .filter((path) => !isBelow(path))
              .map((path) => path.join('/')),
          ),
        )
      }),
      runs,
    )
  })
})

function texts(set: FieldSet): Set<string> {
  return new Set(set.paths().map((path) => path.join('/')))
}
