import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applyMergePatch, mergePatchBetween } from './merge-patch.ts'

describe('applying a merge patch', () => {
  // The table of test cases at the end of RFC 7386.
  it.each<[unknown, unknown, unknown]>([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('%j + %j', (target, patch, result) => {
    expect(applyMergePatch(target, patch)).toEqual(result)
  })
})

describe('the patch between two objects', () => {
  it.each<[object, object, object | undefined]>([
    [{ a: 1 }, { a: 1 }, undefined],
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, undefined],
    [{ a: 1, b: 2 }, { a: 1 }, { b: null }],
    [{ a: { b: 1, c: 2 } }, { a: { b: 1, c: 3 } }, { a: { c: 3 } }],
    [{ a: [1, 2] }, { a: [1] }, { a: [1] }],
    [{}, { a: {} }, { a: {} }],
    [{ a: 1 }, { a: { b: 1 } }, { a: { b: 1 } }],
    [{ a: 1 }, { a: undefined }, { a: null }],
    [{ a: undefined }, {}, undefined],
  ])('%j → %j', (before, after, patch) => {
    expect(mergePatchBetween(before, after)).toEqual(patch)
  })

  it('ignores prototypes', () => {
    const after = JSON.parse('{"__proto__":{"a":1}}') as object
    const patch = mergePatchBetween({}, after)
    expect(JSON.stringify(patch)).toBe('{"__proto__":{"a":1}}')
    expect(JSON.stringify(applyMergePatch({}, patch))).toBe('{"__proto__":{"a":1}}')
    expect(mergePatchBetween({}, { toString: 'x' })).toEqual({ toString: 'x' })
  })

  /** JSON objects as Kubernetes stores them: `null` only inside lists, where a merge patch can express it. */
  const key = fc.constantFrom('a', 'b', 'c', '__proto__', 'x/y')
  const { object } = fc.letrec<{ object: object; value: unknown }>((tie) => ({
    object: fc.dictionary(key, tie('value'), { maxKeys: 4 }),
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(0, 1, '', 'text', true, false),
      fc.array(fc.constantFrom<unknown>(null, 1, { a: null }), { maxLength: 2 }),
      tie('object'),
    ),
  }))

  it('turns the first object into the second', () => {
    fc.assert(
      fc.property(object, object, (before, after) => {
        const patch = mergePatchBetween(before, after)
        expect(patch === undefined ? before : applyMergePatch(before, patch)).toEqual(after)
      }),
      { numRuns: 1000 },
    )
  })

  it('is idempotent, and undefined for equal objects', () => {
    fc.assert(
      fc.property(object, object, (before, after) => {
        expect(mergePatchBetween(after, structuredClone(after))).toBeUndefined()
        const patch = mergePatchBetween(before, after) ?? {}
        expect(applyMergePatch(after, patch)).toEqual(after)
      }),
      { numRuns: 500 },
    )
  })

  it('does not modify its inputs', () => {
    fc.assert(
      fc.property(object, object, (before, after) => {
        const copies = [structuredClone(before), structuredClone(after)]
        applyMergePatch(before, mergePatchBetween(before, after))
        expect([before, after]).toEqual(copies)
      }),
      { numRuns: 200 },
    )
  })
})
