import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  goDuration,
  validityBar,
  moment,
  severityOf,
  refreshAt,
  refreshText,
  roundedSpan,
} from './validity.ts'

const day = 86_400_000

describe('the remaining time', () => {
  it.each([
    [365 * day, '365 d'],
    [2 * day - 1, '1 d'],
    [day - 1, '23 h'],
    [3_600_000, '1 h'],
    [60_000, '1 min'],
    [0, '0 min'],
    [-3 * day, '3 d'],
  ])('%i ms is %s', (ms, text) => {
    expect(roundedSpan(ms)).toBe(text)
  })

  it.each([
    [-1, 'ended'],
    [0, 'urgent'],
    [3 * day - 1, 'urgent'],
    [3 * day, 'soon'],
    [14 * day - 1, 'soon'],
    [14 * day, 'near'],
    [30 * day, 'well'],
  ])('%i ms is %s', (left, severity) => {
    expect(severityOf(1000 + left, 1000)).toBe(severity)
  })

  it('contains the day if it is not today', () => {
    const now = Date.parse('2026-11-16T14:05:00Z')
    expect(moment(Date.parse('2026-11-16T14:02:31Z'), now)).toBe('14:02')
    expect(moment(Date.parse('2026-11-15T23:59:59Z'), now)).toBe('2026-11-15 23:59')
  })
})

describe('a refresh', () => {
  it('is due after 80 %, or earlier', () => {
    expect(refreshAt(0, 365 * day, undefined)).toBe(292 * day)
    expect(refreshAt(0, 30 * day, 15 * day)).toBe(15 * day)
    expect(refreshAt(0, 30 * day, 90 * day)).toBe(24 * day)
    expect(refreshAt(undefined, 30 * day, 15 * day)).toBeUndefined()
    expect(refreshText(12 * day, 0)).toBe('refresh due in 12 d')
    expect(refreshText(0, 2 * day)).toBe('refresh overdue by 2 d')
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

describe('a validity bar', () => {
  it.each([
    [0, '', '━━━━━━━━╋━'],
    [55, '─────', '━━━╋━'],
    [99.9, '─────────', '━'],
    [100, '──────────', ''],
    [-50, '', '━━━━━━━━╋━'],
  ])('at %i of 100 days', (now, elapsed, left) => {
    const validity = { notBefore: 0, notAfter: 100 * day, refresh: 80 * day }
    expect(validityBar(validity, now * day, 10)).toEqual({ elapsed, left })
  })

  it('always has its width', () => {
    const at = fc.integer({ min: -1000, max: 1000 })
    fc.assert(
      fc.property(at, at, at, at, fc.nat(40), (notBefore, notAfter, refresh, now, width) => {
        const { elapsed, left } = validityBar({ notBefore, notAfter, refresh }, now, width)
        expect(elapsed.length + left.length).toBe(width)
      }),
    )
  })
})
