import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { preferenceOrder } from './mirror-order.ts'

describe('the order of mirrors', () => {
  it.each([
    [[], []],
    [[['b', 'a']], ['b', 'a']],
    [
      [
        ['b', 'c'],
        ['a', 'b'],
      ],
      ['a', 'b', 'c'],
    ],
    [
      [['c'], ['a'], ['b']],
      ['a', 'b', 'c'],
    ],
    [
      [
        ['a', 'x'],
        ['b', 'y'],
      ],
      ['a', 'b', 'x', 'y'],
    ],
    [
      [
        ['b', 'a'],
        ['a', 'b'],
      ],
      ['a', 'b'],
    ],
    [[['z', 'b', 'c', 'b', 'y']], ['z', 'b', 'c', 'y']],
  ])('of %j is %j', (lists, order) => expect(preferenceOrder(lists)).toEqual(order))

  const mirror = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')
  const anyLists = fc.array(fc.array(mirror, { maxLength: 5 }), { maxLength: 5 })
  /** Parts of one order, without cycles. */
  const lists = fc
    .tuple(
      fc.shuffledSubarray(['a', 'b', 'c', 'd', 'e', 'f'], { minLength: 6 }),
      fc.array(fc.array(fc.nat(5), { maxLength: 5 }), { maxLength: 5 }),
    )
    .map(([order, picks]) =>
      picks.map((pick) => [...new Set(pick)].sort((x, y) => x - y).map((i) => order[i]!)),
    )

  it('is that of every list if the lists do not contradict each other', () => {
    fc.assert(
      fc.property(lists, (given) => {
        const order = preferenceOrder(given)
        for (const list of given) {
          expect(order.filter((one) => list.includes(one))).toEqual(list)
        }
      }),
    )
  })

  it('has each mirror once, and does not depend on the order of the lists', () => {
    fc.assert(
      fc.property(anyLists, fc.nat(4), (given, at) => {
        const order = preferenceOrder(given)
        expect(order.toSorted()).toEqual([...new Set(given.flat())].sort())
        const turned = [...given.slice(at), ...given.slice(0, at)].toReversed()
        expect(preferenceOrder(turned)).toEqual(order)
        // Merging the result again changes nothing.
        expect(preferenceOrder([order])).toEqual(order)
      }),
    )
  })
})
