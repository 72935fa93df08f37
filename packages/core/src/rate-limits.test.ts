import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RateLimits } from './rate-limits.ts'

const limits = (keys = 10): RateLimits => new RateLimits({ burst: 25, refillMs: 300_000, keys })
const passed = (of: RateLimits, key: string, times: number, elapsed: number): number =>
  Array.from({ length: times }, () => of.pass(key, elapsed)).filter(Boolean).length

describe('RateLimits', () => {
  it('pass a burst, then one for each refill', () => {
    const of = limits()
    expect(passed(of, 'a', 100, 0)).toBe(25)
    expect(passed(of, 'a', 10, 299_999)).toBe(0)
    expect(passed(of, 'a', 10, 300_000)).toBe(1)
    expect(passed(of, 'a', 10, 1_200_000)).toBe(3)
  })

  it('never accumulate more than the burst', () => {
    const of = limits()
    passed(of, 'a', 25, 0)
    expect(passed(of, 'a', 100, 365 * 86_400_000)).toBe(25)
  })

  it('count each key separately', () => {
    const of = limits()
    passed(of, 'a', 100, 0)
    expect(passed(of, 'b', 100, 0)).toBe(25)
  })

  it('state how long a key must wait', () => {
    const of = limits()
    expect(of.waitMs('a', 0)).toBe(0)
    passed(of, 'a', 25, 0)
    expect(of.waitMs('a', 0)).toBe(300_000)
    expect(of.waitMs('a', 120_000)).toBe(180_000)
    expect(of.waitMs('a', 300_000)).toBe(0)
  })

  it('remember a limited number of keys', () => {
    const of = limits(3)
    for (let i = 0; i < 1000; i++) passed(of, `key-${i}`, 25, 0)
    expect(of.size).toBe(3)
    expect(of.pass('key-999', 0)).toBe(false)
    expect(of.pass('key-0', 0)).toBe(true)
  })

  it('never exceed the budget', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(100_000), { maxLength: 300 }), (gaps) => {
        const of = limits()
        let elapsed = 0
        let count = 0
        for (const gap of gaps) {
          elapsed += gap
          if (of.pass('a', elapsed)) count += 1
        }
        expect(count).toBeLessThanOrEqual(25 + Math.floor(elapsed / 300_000))
        expect(count).toBeGreaterThanOrEqual(Math.min(gaps.length, 25))
      }),
    )
  })
})
