import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arbitraryJson } from '../../../test/patch/arbitrary.ts'
import type { Shape } from '../shapes/shape.ts'
import { deduced, plain } from '../shapes/shape.ts'
import { compare, ignoring } from './comparison.ts'
import { FieldSet } from './field-set.ts'
import { pathText } from './path-element.ts'

const shape: Shape = {
  fields: {
    labels: { entries: plain },
    whole: { atomic: true },
    set: { list: 'set' },
    items: { list: 'map', keys: ['name'] },
    open: deduced,
  },
}

describe('the comparison of two objects', () => {
  it.for([
    ['a value', { a: 1 }, { a: 2 }, ['~ .a']],
    ['a new structure and what is in it', {}, { a: { b: 1 } }, ['+ .a', '+ .a.b']],
    ['a structure that goes', { a: { b: 1 } }, {}, ['- .a', '- .a.b']],
    ['an empty structure', {}, { a: {} }, ['+ .a']],
    ['one entry', { labels: { a: '1' } }, { labels: { a: '1', b: '1' } }, ['+ .labels.b']],
    ['something atomic', { whole: { a: 1 } }, { whole: { a: 1, b: 1 } }, ['~ .whole']],
    ['a list', { a: [1] }, { a: [1, 2] }, ['~ .a']],
    ['items of a set', { set: [1, 2] }, { set: [2, 3] }, ['+ .set[=3]', '- .set[=1]']],
    ['the order of a set', { set: [1, 2] }, { set: [2, 1] }, []],
    [
      'inside an item',
      { items: [{ name: 'a', v: 1 }] },
      { items: [{ name: 'a', v: 2 }] },
      ['~ .items[name="a"].v'],
    ],
    [
      'an item that is there twice now',
      { items: [{ name: 'a' }] },
      { items: [{ name: 'a' }, { name: 'a', v: 1 }] },
      ['+ .items[name="a"]', '- .items[name="a"]', '- .items[name="a"].name'],
    ],
    ['an object that became a list', { open: { a: 1 } }, { open: [1] }, ['~ .open', '- .open.a']],
    ['null instead of a value', { a: 1 }, { a: null }, ['~ .a']],
    ['nothing', { a: { b: [1] } }, { a: { b: [1] } }, []],
  ] as const)('%s', ([, before, after, expected]) => {
    expect(texts(compare(before, after, shape))).toEqual(expected)
  })

  it('excludes fields that a write cannot change', () => {
    const comparison = compare({}, { spec: { a: 1 }, status: { b: 1 } }, plain)
    const reachable = ignoring(comparison, FieldSet.from([['f:status']]))
    expect(texts(reachable)).toEqual(['+ .spec', '+ .spec.a'])
  })

  it('is empty for equal objects, and symmetric', () => {
    fc.assert(
      fc.property(arbitraryJson, arbitraryJson, (a, b) => {
        const same = compare(a, structuredClone(a), shape)
        expect(texts(same)).toEqual([])
        const [there, back] = [compare(a, b, deduced), compare(b, a, deduced)]
        expect(there.added.equals(back.removed)).toBe(true)
      }),
      { numRuns: 200 },
    )
  })
})

function texts({ modified, added, removed }: ReturnType<typeof compare>): string[] {
  const all = (sign: string, set: FieldSet): string[] =>
    set.paths().map((path) => `${sign} ${pathText(path)}`)
  return [...all('~', modified), ...all('+', added), ...all('-', removed)]
}
