import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SpamFilter } from './spam-filter.ts'

const passed = (filter: SpamFilter, key: string, times: number, elapsed: number): number =>
  Array.from({ length: times }, () => filter.pass(key, elapsed)).filter(Boolean).length

describe('SpamFilter', () => {
  it('passes 25 events, then one every five minutes', () => {
    const filter = new SpamFilter(10)
    expect(passed(filter, 'a', 100, 0)).toBe(25)
    expect(passed(filter, 'a', 10, 299_999)).toBe(0)
    expect(passed(filter, 'a', 10, 300_000)).toBe(1)
    expect(passed(filter, 'a', 10, 1_200_000)).toBe(3)
  })

  it('never accumulates more than 25', () => {
    const filter = new SpamFilter(10)
    passed(filter, 'a', 25, 0)
    expect(passed(filter, 'a', 100, 365 * 86_400_000)).toBe(25)
  })

  it('counts each key separately', () => {
    const filter = new SpamFilter(10)
    passed(filter, 'a', 100, 0)
    expect(passed(filter, 'b', 100, 0)).toBe(25)
  })

  it('never exceeds its budget', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(100_000), { maxLength: 300 }), (gaps) => {
        const filter = new SpamFilter(10)
        let elapsed = 0
        let count = 0
        for (const gap of gaps) {
          elapsed += gap
          if (filter.pass('a', elapsed)) count += 1
        }
        expect(count).toBeLessThanOrEqual(25 + Math.floor(elapsed / 300_000))
        expect(count).toBeGreaterThanOrEqual(Math.min(gaps.length, 25))
      }),
    )
  })
})
