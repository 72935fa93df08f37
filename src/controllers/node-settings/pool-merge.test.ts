import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { KubeletConfig } from '../../api/kinds/resources.ts'
import { mergePool } from './pool-merge.ts'
import { overriddenIn } from './overridden.ts'
import { poolSettings } from './pool-settings.ts'

const pool = poolSettings({ metadata: { name: 'worker' }, spec: {} })
type Fields = Record<string, number>

const object = (name: string, fields: Fields): KubeletConfig => ({
  metadata: { name },
  spec: { kubeletConfig: fields },
})
const fieldsOf = ({ spec }: KubeletConfig): Fields => (spec.kubeletConfig ?? {}) as Fields

/** Numeric fields; negative values are invalid, and the sum must be at most 100. */
const kind = {
  problems: (one: KubeletConfig): string[] =>
    Object.entries(fieldsOf(one)).flatMap(([key, value]) => (value < 0 ? [`${key} ${value}`] : [])),
  merge: (objects: readonly KubeletConfig[]) => {
    const together: Fields = Object.assign({}, ...objects.map(fieldsOf))
    const sum = Object.values(together).reduce((a, b) => a + b, 0)
    if (sum > 100) return { problem: { reason: 'BadSettings', message: `${sum} is too much` } }
    return { spec: { config: together } }
  },
  fields: (one: KubeletConfig): Map<string, string> =>
    new Map(Object.entries(fieldsOf(one)).map(([key, value]) => [key, String(value)])),
}

const merged = (objects: KubeletConfig[], inherited: KubeletConfig[] = []) =>
  Object.fromEntries(mergePool(kind, pool, undefined, objects, inherited).results)

describe('the merge of a pool', () => {
  it('is cumulative: each result includes all objects before it', () => {
    expect(
      merged([object('a', { x: 1, y: 1 }), object('b', { y: 2 }), object('c', { z: 3 })]),
    ).toEqual({
      a: { spec: { config: { x: 1, y: 1 } } },
      b: { spec: { config: { x: 1, y: 2 } } },
      c: { spec: { config: { x: 1, y: 2, z: 3 } } },
    })
  })

  it('begins with inherited objects', () => {
    expect(merged([object('own', { y: 5 })], [object('workers', { x: 1, y: 1 })])).toEqual({
      own: { spec: { config: { x: 1, y: 5 } } },
    })
  })

  it('applies an object of both pools once, in its own position', () => {
    const both = object('both', { x: 1 })
    expect(merged([object('a', { x: 2 }), both], [both])).toEqual({
      a: { spec: { config: { x: 2 } } },
      both: { spec: { config: { x: 1 } } },
    })
  })

  it('skips invalid objects and reports all problems', () => {
    const merge = mergePool(kind, pool, undefined, [
      object('bad', { x: -1, y: -2 }),
      object('large', { x: 101 }),
      object('good', { z: 3 }),
    ])
    expect(Object.fromEntries(merge.results)).toEqual({
      bad: { problem: { reason: 'BadSettings', message: 'x -1; y -2' } },
      large: { problem: { reason: 'BadSettings', message: '101 is too much' } },
      good: { spec: { config: { z: 3 } } },
    })
    expect(merge.valid.map(({ metadata }) => metadata.name)).toEqual(['good'])
  })

  const objectsNamed = (name: string) =>
    fc
      .array(
        fc.dictionary(fc.constantFrom('x', 'y', 'z'), fc.integer({ min: -5, max: 60 }), {
          noNullPrototype: true,
        }),
        { maxLength: 6 },
      )
      .map((all) => all.map((fields, i) => object(`${name}${i}`, fields)))
  const objects = objectsNamed('own')
  const inherited = objectsNamed('inherited')

  it('has the same result with and without the invalid objects', () => {
    fc.assert(
      fc.property(objects, inherited, (all, theirs) => {
        const merge = mergePool(kind, pool, undefined, all, theirs)
        const without = mergePool(kind, pool, undefined, merge.valid, theirs)
        for (const { metadata } of merge.valid) {
          expect(without.results.get(metadata.name)).toEqual(merge.results.get(metadata.name))
        }
      }),
    )
  })

  it('lists exactly the overridden fields of valid objects', () => {
    fc.assert(
      fc.property(objects, (all) => {
        const merge = mergePool(kind, pool, undefined, all)
        const last = merge.valid.at(-1)
        if (!last) return
        const end = merge.results.get(last.metadata.name)
        const together = end && 'spec' in end ? (end.spec.config as Fields) : {}
        for (const one of merge.valid) {
          const lost = overriddenIn('worker', one, merge.valid, kind).map(({ field }) => field)
          const differing = Object.entries(fieldsOf(one)).filter(
            ([key, value]) => together[key] !== value,
          )
          expect(lost).toEqual(differing.map(([key]) => key))
        }
      }),
    )
  })
})

describe('an overridden field', () => {
  it('is reported with the winning object', () => {
    const valid = [object('a', { x: 1, y: 1 }), object('b', { x: 2 }), object('c', { x: 3, y: 1 })]
    expect(overriddenIn('worker', valid[0]!, valid, kind)).toEqual([
      { pool: 'worker', field: 'x', value: '1', by: 'c', byValue: '3' },
    ])
    expect(overriddenIn('worker', valid[2]!, valid, kind)).toEqual([])
  })

  it('is not reported for a skipped object', () => {
    expect(overriddenIn('worker', object('gone', { x: 1 }), [object('b', { x: 2 })], kind)).toEqual(
      [],
    )
  })

  it('is reported with truncated values', () => {
    const long = { ...kind, fields: () => new Map([['x', 'v'.repeat(70)]]) }
    const other = { ...kind, fields: (one: KubeletConfig) => new Map([['x', one.metadata.name]]) }
    const valid = [object('a', {}), object('b', {})]
    const [found] = overriddenIn('worker', valid[0]!, valid, {
      fields: (one) => (one === valid[0] ? long.fields() : other.fields(one)),
    })
    expect(found?.value).toBe(`${'v'.repeat(60)}…`)
  })
})
