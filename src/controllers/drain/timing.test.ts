import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { restAfter, turnAt } from './timing.ts'

const second = 1000
const minute = 60 * second

describe('the turns of a drain', () => {
  it.each([
    [0, { resting: false, sinceMs: 0, leftMs: 90 * second }],
    [89 * second, { resting: false, sinceMs: 89 * second, leftMs: second }],
    [90 * second, { resting: true, leftMs: minute }],
    [149 * second, { resting: true, leftMs: second }],
    [150 * second, { resting: false, sinceMs: 0, leftMs: 90 * second }],
    // The fifth attempt begins at 10 minutes and fails later than that.
    [600 * second, { resting: false, sinceMs: 0, leftMs: 90 * second }],
    [690 * second, { resting: true, leftMs: 5 * minute }],
    [990 * second, { resting: false, sinceMs: 0, leftMs: 90 * second }],
    [1080 * second, { resting: true, leftMs: 5 * minute }],
    [600 * second + 1000 * 390 * second, { resting: false, sinceMs: 0, leftMs: 90 * second }],
  ])('at the age of %i ms', (age, turn) => {
    expect(turnAt(age)).toEqual(turn)
  })

  it.each([
    [0, minute],
    [minute, minute],
    [10 * minute, minute],
    [10 * minute + 1, 5 * minute],
    [60 * minute, 5 * minute],
  ])('an attempt that fails at the age of %i ms is followed by a rest of %i ms', (age, rest) => {
    expect(restAfter(age)).toBe(rest)
  })

  it('follow one another without a gap: what is left of one is where the next begins', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 30 * 24 * 60 * minute }), (age) => {
        const turn = turnAt(age)
        expect(turn.leftMs).toBeGreaterThan(0)
        expect(turnAt(age + turn.leftMs).resting).toBe(!turn.resting)
        expect(turnAt(age + turn.leftMs - 1).resting).toBe(turn.resting)
      }),
      { numRuns: 500 },
    )
  })

  it('rests never last longer than five minutes, attempts always 90 seconds', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 24 * 60 * minute }), (age) => {
        const turn = turnAt(age)
        const whole = turn.resting ? turn.leftMs : turn.sinceMs + turn.leftMs
        expect(turn.resting ? whole <= 5 * minute : whole === 90 * second).toBe(true)
      }),
      { numRuns: 500 },
    )
  })
})
