import type { Condition } from '@machinist/core/objects/resource'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { conditionOf, isCondition, setCondition } from './conditions.ts'

const earlier = '2026-01-02T03:04:05Z'
const now = '2026-02-03T04:05:06Z'
const updated: Condition = {
  type: 'Updated',
  status: 'True',
  reason: '',
  message: 'all nodes are updated',
  lastTransitionTime: earlier,
}
const degraded: Condition = {
  type: 'Degraded',
  status: 'False',
  reason: 'AsExpected',
  message: '',
  lastTransitionTime: earlier,
}

describe('reading conditions', () => {
  it('finds a condition by its type', () => {
    expect(conditionOf([updated, degraded], 'Degraded')).toBe(degraded)
    expect(conditionOf([updated], 'Degraded')).toBeUndefined()
    expect(conditionOf(undefined, 'Degraded')).toBeUndefined()
  })

  it('expects True by default', () => {
    expect(isCondition([updated, degraded], 'Updated')).toBe(true)
    expect(isCondition([updated, degraded], 'Degraded')).toBe(false)
    expect(isCondition([updated, degraded], 'Degraded', 'False')).toBe(true)
  })

  it('treats an absent condition as neither True nor False', () => {
    expect(isCondition([], 'Updated')).toBe(false)
    expect(isCondition([], 'Updated', 'False')).toBe(false)
    expect(isCondition([], 'Updated', 'Unknown')).toBe(false)
  })
})

describe('setting a condition', () => {
  it('appends a new condition with the current time', () => {
    expect(setCondition([updated], { type: 'Degraded', status: 'False' }, now)).toEqual([
      updated,
      { type: 'Degraded', status: 'False', lastTransitionTime: now },
    ])
    expect(setCondition(undefined, { type: 'Degraded', status: 'False' }, now)).toEqual([
      { type: 'Degraded', status: 'False', lastTransitionTime: now },
    ])
  })

  it('updates lastTransitionTime when the status changes', () => {
    const list = setCondition(
      [updated, degraded],
      { type: 'Updated', status: 'False', reason: 'X', message: 'm' },
      now,
    )
    expect(list).toEqual([
      { type: 'Updated', status: 'False', reason: 'X', message: 'm', lastTransitionTime: now },
      degraded,
    ])
  })

  it('keeps lastTransitionTime when only the message changes', () => {
    const list = setCondition(
      [updated],
      { type: 'Updated', status: 'True', reason: '', message: 'every node is updated' },
      now,
    )
    expect(list).toEqual([{ ...updated, message: 'every node is updated' }])
  })

  it('sets a missing lastTransitionTime', () => {
    const timeless = { ...updated, lastTransitionTime: null }
    const list = setCondition([timeless], { type: 'Updated', status: 'True', message: 'm' }, now)
    expect(list[0]?.lastTransitionTime).toBe(now)
  })

  it('returns the same list when nothing changes', () => {
    const list = [updated, degraded]
    const { lastTransitionTime: _, ...same } = updated
    expect(setCondition(list, same, now)).toBe(list)
    expect(setCondition(list, { ...same, reason: undefined }, now)).toBe(list)
  })

  it('updates observedGeneration', () => {
    const list = setCondition(
      [updated],
      { type: 'Updated', status: 'True', message: 'all nodes are updated', observedGeneration: 2 },
      now,
    )
    expect(list[0]).toMatchObject({ observedGeneration: 2, lastTransitionTime: earlier })
  })

  const status = fc.constantFrom('True' as const, 'False' as const, 'Unknown' as const)
  const report = fc.record({
    type: fc.constantFrom('A', 'B', 'C'),
    status,
    reason: fc.constantFrom('X', 'Y'),
    message: fc.string({ maxLength: 3 }),
  })

  it('keeps one condition per type, with the last report and the time of the last status change', () => {
    fc.assert(
      fc.property(fc.array(report, { maxLength: 30 }), (reports) => {
        let list: readonly Condition[] = []
        const flips = new Map<string, { status: string; time: string }>()
        for (const [i, next] of reports.entries()) {
          const time = `t${i}`
          if (flips.get(next.type)?.status !== next.status) {
            flips.set(next.type, { status: next.status, time })
          }
          const before = structuredClone(list)
          const old = list
          list = setCondition(list, next, time)
          expect(old).toEqual(before)
        }
        expect(new Set(list.map(({ type }) => type)).size).toBe(list.length)
        for (const condition of list) {
          const last = reports.findLast(({ type }) => type === condition.type)
          expect(condition).toEqual({
            ...last,
            lastTransitionTime: flips.get(condition.type)?.time,
          })
        }
      }),
      { numRuns: 200 },
    )
  })
})
