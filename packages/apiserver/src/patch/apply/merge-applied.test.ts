import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Shape } from '../shapes/shape.ts'
import { FieldSet } from './field-set.ts'
import { mergeApplied } from './merge-applied.ts'
import { withoutFields } from './removed.ts'
import { typedErrorText, typedErrors } from './typed-errors.ts'
import { withoutEmpties } from './without-empties.ts'

const set: Shape = { list: 'set' }
const shape: Shape = {
  fields: { set, whole: { atomic: true }, items: { list: 'map', keys: ['name'] } },
}

describe('the order of a merged list', () => {
  it.for([
    ['abc', 'cb', 'acb'],
    ['abc', 'xb', 'axbc'],
    ['ab', 'ba', 'ba'],
    ['abcd', 'db', 'acdb'],
    ['', 'ab', 'ab'],
    ['ab', '', 'ab'],
    ['a', 'xay', 'xay'],
  ] as const)('%s merged with %s is %s', ([live, applied, expected]) => {
    expect((mergeApplied(live.split(''), applied.split(''), set) as string[]).join('')).toBe(
      expected,
    )
  })

  it('has every item once, the applied ones in their order', () => {
    const letters = fc.uniqueArray(fc.constantFrom<string[]>('a', 'b', 'c', 'd', 'e', 'f'))
    fc.assert(
      fc.property(letters, letters, (live, applied) => {
        const result = mergeApplied(live, applied, set) as string[]
        expect(new Set(result)).toEqual(new Set([...live, ...applied]))
        expect(result).toHaveLength(new Set(result).size)
        expect(result.filter((one) => applied.includes(one))).toEqual(applied)
      }),
      { numRuns: 500 },
    )
  })
})

describe('a merged object', () => {
  it('has applied values and atomic parts', () => {
    const live = { a: 1, b: 1, whole: { x: 1 }, items: [{ name: 'i', v: 1 }] }
    const applied = { b: 2, whole: { y: 1 }, items: [{ name: 'i', w: 1 }] }
    expect(mergeApplied(live, applied, shape)).toEqual({
      a: 1,
      b: 2,
      whole: { y: 1 },
      items: [{ name: 'i', v: 1, w: 1 }],
    })
  })
})

describe('an object without some fields', () => {
  it('loses them, and has null instead of empty values', () => {
    const object = { a: { b: 1 }, set: ['x', 'y'], items: [{ name: 'i', v: 1 }], whole: { x: 1 } }
    const fields = FieldSet.from([
      ['f:a', 'f:b'],
      ['f:set', 'v:"x"'],
      ['f:items', 'k:{"name":"i"}', 'f:v'],
      ['f:whole'],
    ])
    expect(withoutFields(object, fields, shape)).toEqual({
      a: null,
      set: ['y'],
      items: [{ name: 'i' }],
    })
  })
})

describe('a type error of an applied object', () => {
  it('has its path', () => {
    const errors = typedErrors({ set: ['x', 'x'], items: [{}] }, shape)
    expect(typedErrorText(errors)).toBe(
      'errors:\n' +
        '  .set: duplicate entries for key [="x"]\n' +
        '  .items: element 0: associative list with keys has an element that omits key field "name" (and doesn\'t have default value)',
    )
  })

  it('is absent for a valid object', () => {
    expect(typedErrors({ set: ['x'], items: [{ name: 'a' }], other: null }, shape)).toEqual([])
  })
})

describe('a decoded built-in object', () => {
  it('has no nulls, empty maps or empty keyed lists, but empty structs', () => {
    const object = { labels: {}, set: [], plain: [], emptyDir: {}, gone: null, a: { b: null } }
    const rules: Shape = { fields: { labels: { entries: {} }, set } }
    expect(withoutEmpties(object, rules)).toEqual({ plain: [], emptyDir: {}, a: {} })
  })
})
