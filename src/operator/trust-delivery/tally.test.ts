import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ItemReport, TrustReport } from '../../fleet/trust/delivery-state.ts'
import { isBehind, deliveryStateOf } from '../../fleet/trust/delivery-state.ts'
import { Tally } from './tally.ts'

const item = 'kubelet-client-ca'
const reportOf = (more: Partial<ItemReport> & Pick<ItemReport, 'state'>): TrustReport =>
  new Map([[item, more]])
const has = (digest: string, notAfter?: number): TrustReport =>
  reportOf({
    state: 'Current',
    desired: digest,
    actual: digest,
    ...(notAfter !== undefined && { notAfter }),
  })
const node = { created: 0 }
const of = (tally: Tally): ReturnType<Tally['items']>[number] =>
  tally.items().find((each) => each.item === item)!

describe('a tally', () => {
  it('counts nodes by state, and since when the first one lags', () => {
    const tally = new Tally()
    tally.setDesired({ [item]: 'one' }, 0)
    tally.addNode('a', node, 10)
    tally.addNode('b', node, 20)
    tally.setReport(
      'a',
      reportOf({ state: 'Current', actual: 'one', notAfter: 5000, runsOut: 7000 }),
      30,
    )
    expect(of(tally)).toEqual({
      item,
      counts: { Current: 1, Rendered: 0, NotGiven: 0, Lagging: 0, Failed: 0, Unknown: 1 },
      behind: 1,
      oldest: 20,
      notAfter: 5000,
      runsOut: 7000,
    })
    tally.setDesired({ [item]: 'two' }, 100)
    expect(of(tally)).toMatchObject({ counts: { Lagging: 1, Unknown: 1 }, behind: 2, oldest: 20 })
    tally.setReport('b', reportOf({ state: 'Failed', why: 'disk full', notAfter: 4000 }), 110)
    // It has lagged since it was added; only the cause changed.
    expect(tally.laggards(item, 5)).toEqual([
      { node: 'b', state: 'Failed', since: 20, why: 'disk full' },
      { node: 'a', state: 'Lagging', since: 100 },
    ])
    expect(of(tally).notAfter).toBe(4000)
    tally.setReport('b', has('two', 9000), 120)
    tally.setReport('a', has('two', 8000), 120)
    expect(of(tally)).toMatchObject({
      behind: 0,
      oldest: undefined,
      notAfter: 8000,
      runsOut: undefined,
    })
  })

  it('forgets a removed node, but keeps reports from before a node was added', () => {
    const tally = new Tally()
    tally.setDesired({ [item]: 'one' }, 0)
    tally.setReport('a', has('one'), 0)
    expect(tally.size).toBe(0)
    expect(of(tally).counts.Current).toBe(0)
    tally.addNode('a', node, 10)
    expect(of(tally).counts.Current).toBe(1)
    tally.removeNode('a')
    expect([tally.size, of(tally).counts.Current]).toEqual([0, 0])
    tally.addNode('a', node, 20)
    tally.setReport('a', undefined, 30)
    expect(tally.laggards(item, 5)).toEqual([{ node: 'a', state: 'Unknown', since: 30 }])
  })

  it('uses the reported states without desired digests', () => {
    const tally = new Tally()
    tally.addNode('a', node, 0)
    expect(of(tally)).toMatchObject({ counts: { NotGiven: 1 }, behind: 0 })
    tally.setReport('a', has('old'), 0)
    expect(of(tally).counts).toMatchObject({ Current: 1 })
    tally.setReport('a', reportOf({ state: 'Failed' }), 0)
    expect(of(tally).behind).toBe(1)
  })

  it('lists the longest lagging nodes first, then by name', () => {
    const tally = new Tally()
    tally.setDesired({ [item]: 'one' }, 0)
    for (const [name, at] of Object.entries({ c: 1, a: 2, b: 2, d: 0 }))
      tally.addNode(name, node, at)
    const named = (): string[] => tally.laggards(item, 3).map(({ node }) => node)
    expect(named()).toEqual(['d', 'c', 'a'])
    expect(named()).toEqual(['d', 'c', 'a'])
    expect(of(tally).behind).toBe(4)
  })

  it('restores the start of lags, but not before the creation of a node', () => {
    const tally = new Tally()
    tally.setDesired({ [item]: 'one' }, 1000)
    tally.addNode('old', { created: 1 }, 1000)
    tally.addNode('young', { created: 700, notReadySince: 800 }, 1000)
    tally.restoreSince(500)
    expect(tally.laggards(item, 5)).toEqual([
      { node: 'old', state: 'Unknown', since: 500 },
      { node: 'young', state: 'Unknown', since: 700, notReadySince: 800 },
    ])
  })

  it('equals a full recount', () => {
    const names = fc.constantFrom('a', 'b', 'c', 'd')
    const digest = fc.constantFrom('one', 'two')
    const step = fc.oneof(
      fc.record({ action: fc.constant('setDesired' as const), digest: fc.option(digest) }),
      fc.record({ action: fc.constant('addNode' as const), name: names }),
      fc.record({ action: fc.constant('removeNode' as const), name: names }),
      fc.record({
        action: fc.constant('report' as const),
        name: names,
        report: fc.option(
          fc.record({
            state: fc.constantFrom('Current', 'Lagging', 'Failed', 'Rendered', 'NotGiven'),
            desired: digest,
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
        const reports = new Map<string, ItemReport>()
        let desired: string | undefined
        tally.setDesired({}, 0)
        for (const [at, each] of steps.entries()) {
          if (each.action === 'setDesired') {
            desired = each.digest ?? undefined
            tally.setDesired(desired === undefined ? {} : { [item]: desired }, at)
          } else if (each.action === 'addNode') {
            nodes.add(each.name)
            tally.addNode(each.name, node, at)
          } else if (each.action === 'removeNode') {
            nodes.delete(each.name)
            tally.removeNode(each.name)
          } else {
            if (each.report) reports.set(each.name, each.report)
            else reports.delete(each.name)
            tally.setReport(each.name, each.report ? reportOf(each.report) : undefined, at)
          }
          const all = [...nodes].map((name) => deliveryStateOf(desired, reports.get(name)))
          const { counts, behind, notAfter } = of(tally)
          expect(counts.Current).toBe(all.filter((state) => state === 'Current').length)
          expect(behind).toBe(all.filter(isBehind).length)
          const ends = [...nodes].flatMap((name) => reports.get(name)?.notAfter ?? [])
          expect(notAfter).toBe(ends.length > 0 ? Math.min(...ends) : undefined)
          expect(tally.laggards(item, 9).length).toBe(behind)
        }
      }),
      { numRuns: 60 },
    )
  })
})
