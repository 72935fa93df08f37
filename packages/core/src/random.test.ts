import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { backoffDelay } from './backoff.ts'
import { between, jitter, nameSuffix, seededRandom, systemRandom } from './random.ts'

describe('seededRandom', () => {
  it('returns the same sequence for the same seed', () => {
    const random = seededRandom(42)
    const drawn = [random.next(), random.next(), random.next()].map((n) => n.toFixed(6))
    expect(drawn).toEqual(['0.601104', '0.448291', '0.852466'])
  })

  it('stays in [0, 1)', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const n = seededRandom(seed).next()
        expect(n).toBeGreaterThanOrEqual(0)
        expect(n).toBeLessThan(1)
      }),
    )
  })
})

describe('random values', () => {
  const always = (n: number): { next: () => number } => ({ next: () => n })

  it('between includes both ends', () => {
    expect(between(always(0), 5, 10)).toBe(5)
    expect(between(always(0.9999), 5, 10)).toBe(10)
  })

  it('jitter only extends', () => {
    expect(jitter(always(0), 1000, 0.2)).toBe(1000)
    expect(jitter(always(0.5), 1000, 0.2)).toBe(1100)
  })

  it('name suffixes are valid in object names', () => {
    expect(nameSuffix(systemRandom)).toMatch(/^[a-z0-9]{5}$/)
  })
})

describe('backoffDelay', () => {
  const policy = { firstMs: 800, maxMs: 30_000, factor: 2, jitter: 0 }

  it('doubles up to its limit', () => {
    const delays = [0, 1, 2, 3, 4, 5, 6, 5000].map((n) => backoffDelay(policy, n, systemRandom))
    expect(delays).toEqual([800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000])
  })
})
