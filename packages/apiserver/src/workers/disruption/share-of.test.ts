import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { thrownBy } from '@machinist/testing/thrown-by'
import { CannotCount, shareOf } from './share-of.ts'

describe('a share', () => {
  it('is a number, or a percentage rounded up', () => {
    expect(shareOf(3, 10)).toBe(3)
    expect(shareOf('30%', 10)).toBe(3)
    expect(shareOf('31%', 10)).toBe(4)
    expect(shareOf('0%', 10)).toBe(0)
    expect(shareOf('100%', 7)).toBe(7)
  })

  it('rejects other values', () => {
    expect(() => shareOf('many', 10)).toThrow(
      'invalid value for IntOrString: invalid type: string is not a percentage',
    )
    expect(() => shareOf('', 10)).toThrow(CannotCount)
  })

  it('is never too small and never more than one too large', () => {
    fc.assert(
      fc.property(fc.nat({ max: 100 }), fc.nat({ max: 10_000 }), (percent, all) => {
        const share = shareOf(`${percent}%`, all)
        expect(share * 100).toBeGreaterThanOrEqual(percent * all)
        expect((share - 1) * 100).toBeLessThan(percent * all)
      }),
      { numRuns: 200 },
    )
  })

  it('of any text is a number or rejected', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const error = thrownBy(() => shareOf(text, 10))
        expect(error === undefined || error instanceof CannotCount).toBe(true)
      }),
      { numRuns: 200 },
    )
  })
})
