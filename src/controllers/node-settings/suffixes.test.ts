import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Claimant } from './suffixes.ts'
import { suffixesOf } from './suffixes.ts'

const at = (day: number): string => `2026-01-${String(day).padStart(2, '0')}T00:00:00Z`

const claimant = (
  name: string,
  day: number,
  pools: string[] = ['worker'],
  claim?: number,
): Claimant => ({ name, created: at(day), pools: new Set(pools), claim })

const given = (...claimants: Claimant[]): Record<string, number> =>
  Object.fromEntries(suffixesOf(claimants))

describe('suffixes', () => {
  it('begin with zero', () => {
    expect(given(claimant('a', 1))).toEqual({ a: 0 })
  })

  it('are kept', () => {
    expect(given(claimant('a', 1, ['worker'], 4))).toEqual({ a: 4 })
    expect(given(claimant('new', 2, ['worker'], 1), claimant('old', 1, ['worker'], 5))).toEqual({
      new: 1,
      old: 5,
    })
  })

  it('follow the largest of the same pools, even if smaller ones are free', () => {
    expect(given(claimant('a', 1, ['worker'], 3), claimant('b', 2))).toEqual({ a: 3, b: 4 })
    expect(given(claimant('a', 1, ['worker', 'infra'], 3), claimant('b', 2, ['infra']))).toEqual({
      a: 3,
      b: 4,
    })
  })

  it('are independent of other pools', () => {
    expect(given(claimant('a', 1, ['worker'], 3), claimant('b', 2, ['infra']))).toEqual({
      a: 3,
      b: 0,
    })
  })

  it('are assigned by age, then by name', () => {
    expect(given(claimant('a', 3), claimant('b', 1), claimant('c', 2))).toEqual({
      b: 0,
      c: 1,
      a: 2,
    })
    expect(given(claimant('b', 1), claimant('a', 1))).toEqual({ a: 0, b: 1 })
  })

  it('of an object without annotation are those of its MachineConfigs', () => {
    expect(given(claimant('older', 1, ['master'], 0), claimant('newer', 2, ['master'], 1))).toEqual(
      { older: 0, newer: 1 },
    )
  })

  it('stay with the older of two objects that claim the same', () => {
    expect(given(claimant('copy', 2, ['worker'], 1), claimant('a', 1, ['worker'], 1))).toEqual({
      a: 1,
      copy: 2,
    })
    expect(given(claimant('a', 1, ['worker'], 1), claimant('b', 2, ['infra'], 1))).toEqual({
      a: 1,
      b: 1,
    })
  })

  it('after nine are the largest free ones', () => {
    const old = claimant('old', 1, ['worker'], 9)
    expect(given(old, claimant('new', 2))).toEqual({ old: 9, new: 8 })
    const seven = claimant('seven', 2, ['worker'], 8)
    expect(given(old, seven, claimant('new', 3))).toEqual({ old: 9, seven: 8, new: 7 })
  })

  it('are not assigned to an eleventh object, nor to one without a pool', () => {
    const ten = Array.from({ length: 10 }, (_, i) => claimant(`o${i}`, 1, ['worker'], i))
    expect(suffixesOf([...ten, claimant('eleventh', 2)]).has('eleventh')).toBe(false)
    expect(suffixesOf([claimant('lost', 1, [], 3)]).has('lost')).toBe(false)
  })

  const claimants = fc.uniqueArray(
    fc.record({
      name: fc.stringMatching(/^[a-z]{1,3}$/),
      created: fc.integer({ min: 1, max: 5 }).map(at),
      pools: fc
        .subarray(['worker', 'master', 'infra'])
        .map((pools): ReadonlySet<string> => new Set(pools)),
      claim: fc.option(fc.integer({ min: 0, max: 9 }), { nil: undefined }),
    }),
    { selector: ({ name }) => name, maxLength: 14 },
  )

  it('are unique in each pool, and assigned while one is free', () => {
    fc.assert(
      fc.property(claimants, (all) => {
        const suffixes = suffixesOf(all)
        for (const pool of ['worker', 'master', 'infra']) {
          const here = all.filter(({ pools }) => pools.has(pool))
          const used = here.flatMap(({ name }) => suffixes.get(name) ?? [])
          expect(new Set(used).size).toBe(used.length)
        }
        for (const one of all) {
          const near = all.filter((other) => !other.pools.isDisjointFrom(one.pools))
          const taken = new Set(near.flatMap(({ name }) => suffixes.get(name) ?? []))
          const expected = one.pools.size > 0 && (suffixes.has(one.name) || taken.size < 10)
          expect(suffixes.has(one.name)).toBe(expected)
        }
      }),
    )
  })

  it('are the same for any order, and stable once claimed', () => {
    fc.assert(
      fc.property(claimants, fc.infiniteStream(fc.nat()), (all, numbers) => {
        const first = suffixesOf(all)
        const keyed = all.map((one) => ({ one, at: numbers.next().value ?? 0 }))
        const shuffled = keyed.toSorted((a, b) => a.at - b.at).map(({ one }) => one)
        expect(suffixesOf(shuffled)).toEqual(first)
        const claimed = all.map((one) => ({ ...one, claim: first.get(one.name) }))
        const isGiven = ({ name }: Claimant): boolean => first.has(name)
        expect(suffixesOf(claimed.filter(isGiven))).toEqual(first)
      }),
    )
  })
})
