import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pauseAfter, phaseAt } from './timing.ts'

const second = 1000
const minute = 60 * second

describe('the phases of a drain', () => {
  it.each([
    [0, { pausing: false, sinceMs: 0, leftMs: 90 * second }],
    [89 * second, { pausing: false, sinceMs: 89 * second, leftMs: second }],
    [90 * second, { pausing: true, leftMs: minute }],
    [149 * second, { pausing: true, leftMs: second }],
    [150 * second, { pausing: false, sinceMs: 0, leftMs: 90 * second }],
    // The fifth attempt begins at 10 minutes and fails later than that.
    [600 * second, { pausing: false, sinceMs: 0, leftMs: 90 * second }],
    [690 * second, { pausing: true, leftMs: 5 * minute }],
    [990 * second, { pausing: false, sinceMs: 0, leftMs: 90 * second }],
    [1080 * second, { pausing: true, leftMs: 5 * minute }],
    [600 * second + 1000 * 390 * second, { pausing: false, sinceMs: 0, leftMs: 90 * second }],
  ])('at the age of %i ms', (age, phase) => {
    expect(phaseAt(age)).toEqual(phase)
  })

  it.each([
    [0, minute],
    [minute, minute],
    [10 * minute, minute],
    [10 * minute + 1, 5 * minute],
    [60 * minute, 5 * minute],
  ])('an attempt that fails at the age of %i ms is followed by a pause of %i ms', (age, pause) => {
    expect(pauseAfter(age)).toBe(pause)
  })

  it('follow one another without a gap', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 30 * 24 * 60 * minute }), (age) => {
        const phase = phaseAt(age)
        expect(phase.leftMs).toBeGreaterThan(0)
        expect(phaseAt(age + phase.leftMs).pausing).toBe(!phase.pausing)
        expect(phaseAt(age + phase.leftMs - 1).pausing).toBe(phase.pausing)
      }),
      { numRuns: 500 },
    )
  })

  it('have pauses of at most five minutes and attempts of 90 seconds', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 24 * 60 * minute }), (age) => {
        const phase = phaseAt(age)
        const whole = phase.pausing ? phase.leftMs : phase.sinceMs + phase.leftMs
        expect(phase.pausing ? whole <= 5 * minute : whole === 90 * second).toBe(true)
      }),
      { numRuns: 500 },
    )
  })
})
