import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { goDuration, lifeLine, moment, moodOf, refreshAt, refreshText, span } from './life.ts'

const day = 86_400_000

describe('time that is left', () => {
  it.each([
    [365 * day, '365 d'],
    [2 * day - 1, '1 d'],
    [day - 1, '23 h'],
    [3_600_000, '1 h'],
    [60_000, '1 min'],
    [0, '0 min'],
    [-3 * day, '3 d'],
  ])('%i ms is %s', (ms, text) => {
    expect(span(ms)).toBe(text)
  })

  it.each([
    [-1, 'ended'],
    [0, 'urgent'],
    [3 * day - 1, 'urgent'],
    [3 * day, 'soon'],
    [14 * day - 1, 'soon'],
    [14 * day, 'near'],
    [30 * day, 'well'],
  ])('%i ms is %s', (left, mood) => {
    expect(moodOf(1000 + left, 1000)).toBe(mood)
  })

  it('is told with the day when it is not today', () => {
    const now = Date.parse('2026-11-16T14:05:00Z')
    expect(moment(Date.parse('2026-11-16T14:02:31Z'), now)).toBe('14:02')
    expect(moment(Date.parse('2026-11-15T23:59:59Z'), now)).toBe('2026-11-15 23:59')
  })
})

describe('a refresh', () => {
  it('is due after four fifths, or earlier', () => {
    expect(refreshAt(0, 365 * day, undefined)).toBe(292 * day)
    expect(refreshAt(0, 30 * day, 15 * day)).toBe(15 * day)
    expect(refreshAt(0, 30 * day, 90 * day)).toBe(24 * day)
    expect(refreshAt(undefined, 30 * day, 15 * day)).toBeUndefined()
    expect(refreshText(12 * day, 0)).toBe('refresh due in 12 d')
    expect(refreshText(0, 2 * day)).toBe('refresh due for 2 d')
  })

  it.each([
    ['7008h0m0s', 292 * day],
    ['1h30m', 5_400_000],
    ['0.5s', 500],
    ['20ms', 20],
    ['', undefined],
    ['292d', undefined],
    ['soon', undefined],
  ])('period %j is %s ms', (text, ms) => {
    expect(goDuration(text)).toBe(ms)
  })
})

describe('a line of life', () => {
  it.each([
    [0, '', '━━━━━━━━╋━'],
    [55, '─────', '━━━╋━'],
    [99.9, '─────────', '━'],
    [100, '──────────', ''],
    [-50, '', '━━━━━━━━╋━'],
  ])('at %i of 100 days', (now, gone, left) => {
    const life = { notBefore: 0, notAfter: 100 * day, refresh: 80 * day }
    expect(lifeLine(life, now * day, 10)).toEqual({ gone, left })
  })

  it('has its length whatever it is about', () => {
    const at = fc.integer({ min: -1000, max: 1000 })
    fc.assert(
      fc.property(at, at, at, at, fc.nat(40), (notBefore, notAfter, refresh, now, width) => {
        const { gone, left } = lifeLine({ notBefore, notAfter, refresh }, now, width)
        expect(gone.length + left.length).toBe(width)
      }),
    )
  })
})
