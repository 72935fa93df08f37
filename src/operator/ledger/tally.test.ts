import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Told, TrustTold } from '../../fleet/trust/judge.ts'
import { isBehind, judge } from '../../fleet/trust/judge.ts'
import { Tally } from './tally.ts'

const item = 'kubelet-client-ca'
const told = (more: Partial<Told> & Pick<Told, 'state'>): TrustTold => new Map([[item, more]])
const has = (digest: string, notAfter?: number): TrustTold =>
  told({
    state: 'Current',
    wanted: digest,
    actual: digest,
    ...(notAfter !== undefined && { notAfter }),
  })
const node = { created: 0 }
const of = (tally: Tally): ReturnType<Tally['items']>[number] =>
  tally.items().find((each) => each.item === item)!

describe('a tally', () => {
  it('counts who has what, and since when somebody has not', () => {
    const tally = new Tally()
    tally.want({ [item]: 'one' }, 0)
    tally.join('a', node, 10)
    tally.join('b', node, 20)
    tally.tell('a', told({ state: 'Current', actual: 'one', notAfter: 5000, runsOut: 7000 }), 30)
    expect(of(tally)).toEqual({
      item,
      counts: { Current: 1, Rendered: 0, NotGiven: 0, Lagging: 0, Failed: 0, Unknown: 1 },
      behind: 1,
      oldest: 20,
      notAfter: 5000,
      runsOut: 7000,
    })
    tally.want({ [item]: 'two' }, 100)
    expect(of(tally)).toMatchObject({ counts: { Lagging: 1, Unknown: 1 }, behind: 2, oldest: 20 })
    tally.tell('b', told({ state: 'Failed', why: 'disk full', notAfter: 4000 }), 110)
    // It has been behind since it joined, only the reason is another.
    expect(tally.laggards(item, 5)).toEqual([
      { node: 'b', holding: 'Failed', since: 20, why: 'disk full' },
      { node: 'a', holding: 'Lagging', since: 100 },
    ])
    expect(of(tally).notAfter).toBe(4000)
    tally.tell('b', has('two', 9000), 120)
    tally.tell('a', has('two', 8000), 120)
    expect(of(tally)).toMatchObject({
      behind: 0,
      oldest: undefined,
      notAfter: 8000,
      runsOut: undefined,
    })
  })

  it('forgets a node that left, but not what it told before it joined', () => {
    const tally = new Tally()
    tally.want({ [item]: 'one' }, 0)
    tally.tell('a', has('one'), 0)
    expect(tally.size).toBe(0)
    expect(of(tally).counts.Current).toBe(0)
    tally.join('a', node, 10)
    expect(of(tally).counts.Current).toBe(1)
    tally.leave('a')
    expect([tally.size, of(tally).counts.Current]).toEqual([0, 0])
    tally.join('a', node, 20)
    tally.tell('a', undefined, 30)
    expect(tally.laggards(item, 5)).toEqual([{ node: 'a', holding: 'Unknown', since: 30 }])
  })

  it('takes the word of nodes where the cluster does not say what it wants', () => {
    const tally = new Tally()
    tally.join('a', node, 0)
    expect(of(tally)).toMatchObject({ counts: { NotGiven: 1 }, behind: 0 })
    tally.tell('a', has('old'), 0)
    expect(of(tally).counts).toMatchObject({ Current: 1 })
    tally.tell('a', told({ state: 'Failed' }), 0)
    expect(of(tally).behind).toBe(1)
  })

  it('names those who lack it longest, then by name', () => {
    const tally = new Tally()
    tally.want({ [item]: 'one' }, 0)
    for (const [name, at] of Object.entries({ c: 1, a: 2, b: 2, d: 0 })) tally.join(name, node, at)
    const named = (): string[] => tally.laggards(item, 3).map(({ node }) => node)
    expect(named()).toEqual(['d', 'c', 'a'])
    expect(named()).toEqual(['d', 'c', 'a'])
    expect(of(tally).behind).toBe(4)
  })

  it('remembers since when they were behind, but not longer than they exist', () => {
    const tally = new Tally()
    tally.want({ [item]: 'one' }, 1000)
    tally.join('old', { created: 1 }, 1000)
    tally.join('young', { created: 700, notReadySince: 800 }, 1000)
    tally.recall(500)
    expect(tally.laggards(item, 5)).toEqual([
      { node: 'old', holding: 'Unknown', since: 500 },
      { node: 'young', holding: 'Unknown', since: 700, notReadySince: 800 },
    ])
  })

  it('comes to the same as counting everything anew', () => {
    const names = fc.constantFrom('a', 'b', 'c', 'd')
    const digest = fc.constantFrom('one', 'two')
    const step = fc.oneof(
      fc.record({ do: fc.constant('want' as const), digest: fc.option(digest) }),
      fc.record({ do: fc.constant('join' as const), name: names }),
      fc.record({ do: fc.constant('leave' as const), name: names }),
      fc.record({
        do: fc.constant('tell' as const),
        name: names,
        told: fc.option(
          fc.record({
            state: fc.constantFrom('Current', 'Lagging', 'Failed', 'Rendered', 'NotGiven'),
            wanted: digest,
            actual: digest,
            notAfter: fc.integer({ min: 0, max: 9 }),
          }),
        ),
      }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const tally = new Tally()
        const nodes = new Set<string>()
        const said = new Map<string, Told>()
        let wanted: string | undefined
        tally.want({}, 0)
        for (const [at, each] of steps.entries()) {
          if (each.do === 'want') {
            wanted = each.digest ?? undefined
            tally.want(wanted === undefined ? {} : { [item]: wanted }, at)
          } else if (each.do === 'join') {
            nodes.add(each.name)
            tally.join(each.name, node, at)
          } else if (each.do === 'leave') {
            nodes.delete(each.name)
            tally.leave(each.name)
          } else {
            if (each.told) said.set(each.name, each.told)
            else said.delete(each.name)
            tally.tell(each.name, each.told ? told(each.told) : undefined, at)
          }
          const all = [...nodes].map((name) => judge(wanted, said.get(name)))
          const { counts, behind, notAfter } = of(tally)
          expect(counts.Current).toBe(all.filter((holding) => holding === 'Current').length)
          expect(behind).toBe(all.filter(isBehind).length)
          const ends = [...nodes].flatMap((name) => said.get(name)?.notAfter ?? [])
          expect(notAfter).toBe(ends.length > 0 ? Math.min(...ends) : undefined)
          expect(tally.laggards(item, 9).length).toBe(behind)
        }
      }),
      { numRuns: 60 },
    )
  })
})
