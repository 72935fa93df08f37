import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { KubeletConfig } from '../../api/resources.ts'
import { chainOf } from './chain.ts'
import { overriddenIn } from './overridden.ts'
import { poolSettings } from './pool-settings.ts'

const pool = poolSettings({ metadata: { name: 'worker' }, spec: {} })
type Fields = Record<string, number>

const object = (name: string, fields: Fields): KubeletConfig => ({
  metadata: { name },
  spec: { kubeletConfig: fields },
})
const fieldsOf = ({ spec }: KubeletConfig): Fields => (spec.kubeletConfig ?? {}) as Fields

/** Fields of numbers; none may be negative, and all together at most 100. */
const kind = {
  problems: (one: KubeletConfig): string[] =>
    Object.entries(fieldsOf(one)).flatMap(([key, value]) => (value < 0 ? [`${key} ${value}`] : [])),
  settle: (objects: readonly KubeletConfig[]) => {
    const together: Fields = Object.assign({}, ...objects.map(fieldsOf))
    const sum = Object.values(together).reduce((a, b) => a + b, 0)
    if (sum > 100) return { problem: { reason: 'BadSettings', message: `${sum} is too much` } }
    return { spec: { config: together } }
  },
  fields: (one: KubeletConfig): Map<string, string> =>
    new Map(Object.entries(fieldsOf(one)).map(([key, value]) => [key, String(value)])),
}

const settled = (objects: KubeletConfig[], inherited: KubeletConfig[] = []) =>
  Object.fromEntries(chainOf(kind, pool, undefined, objects, inherited).settlements)

describe('the chain of a pool', () => {
  it('adds up: each object holds what all before it say as well', () => {
    expect(
      settled([object('a', { x: 1, y: 1 }), object('b', { y: 2 }), object('c', { z: 3 })]),
    ).toEqual({
      a: { spec: { config: { x: 1, y: 1 } } },
      b: { spec: { config: { x: 1, y: 2 } } },
      c: { spec: { config: { x: 1, y: 2, z: 3 } } },
    })
  })

  it('begins with what is inherited, so that only what an object says differs', () => {
    expect(settled([object('own', { y: 5 })], [object('workers', { x: 1, y: 1 })])).toEqual({
      own: { spec: { config: { x: 1, y: 5 } } },
    })
  })

  it('has an object of both pools once, in its own place', () => {
    const both = object('both', { x: 1 })
    expect(settled([object('a', { x: 2 }), both], [both])).toEqual({
      a: { spec: { config: { x: 2 } } },
      both: { spec: { config: { x: 1 } } },
    })
  })

  it('leaves out what is wrong, and says all of it', () => {
    const chain = chainOf(kind, pool, undefined, [
      object('bad', { x: -1, y: -2 }),
      object('large', { x: 101 }),
      object('good', { z: 3 }),
    ])
    expect(Object.fromEntries(chain.settlements)).toEqual({
      bad: { problem: { reason: 'BadSettings', message: 'x -1; y -2' } },
      large: { problem: { reason: 'BadSettings', message: '101 is too much' } },
      good: { spec: { config: { z: 3 } } },
    })
    expect(chain.good.map(({ metadata }) => metadata.name)).toEqual(['good'])
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

  it('comes to the same with the bad ones and without them', () => {
    fc.assert(
      fc.property(objects, inherited, (all, theirs) => {
        const chain = chainOf(kind, pool, undefined, all, theirs)
        const without = chainOf(kind, pool, undefined, chain.good, theirs)
        for (const { metadata } of chain.good) {
          expect(without.settlements.get(metadata.name)).toEqual(
            chain.settlements.get(metadata.name),
          )
        }
      }),
    )
  })

  it('tells of every field of a good object whether it holds at the end', () => {
    fc.assert(
      fc.property(objects, (all) => {
        const chain = chainOf(kind, pool, undefined, all)
        const last = chain.good.at(-1)
        if (!last) return
        const end = chain.settlements.get(last.metadata.name)
        const together = end && 'spec' in end ? (end.spec.config as Fields) : {}
        for (const one of chain.good) {
          const lost = overriddenIn('worker', one, chain.good, kind).map(({ field }) => field)
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
  it('is told with the one that wins in the end', () => {
    const good = [object('a', { x: 1, y: 1 }), object('b', { x: 2 }), object('c', { x: 3, y: 1 })]
    expect(overriddenIn('worker', good[0]!, good, kind)).toEqual([
      { pool: 'worker', field: 'x', value: '1', by: 'c', byValue: '3' },
    ])
    expect(overriddenIn('worker', good[2]!, good, kind)).toEqual([])
  })

  it('is not told of one that is left out', () => {
    expect(overriddenIn('worker', object('gone', { x: 1 }), [object('b', { x: 2 })], kind)).toEqual(
      [],
    )
  })

  it('shows long values short', () => {
    const long = { ...kind, fields: () => new Map([['x', 'v'.repeat(70)]]) }
    const other = { ...kind, fields: (one: KubeletConfig) => new Map([['x', one.metadata.name]]) }
    const good = [object('a', {}), object('b', {})]
    const [found] = overriddenIn('worker', good[0]!, good, {
      fields: (one) => (one === good[0] ? long.fields() : other.fields(one)),
    })
    expect(found?.value).toBe(`${'v'.repeat(60)}…`)
  })
})
