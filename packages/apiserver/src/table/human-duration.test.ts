import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ageOf, humanDuration } from './human-duration.ts'

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour
const year = 365 * day

describe('humanDuration', () => {
  it.each([
    ['<invalid>', -2 * second],
    ['0s', -1999],
    ['0s', -1],
    ['0s', 999],
    ['1s', second],
    ['119s', 2 * minute - 1],
    ['2m', 2 * minute],
    ['2m1s', 2 * minute + second],
    ['9m59s', 10 * minute - 1],
    ['10m', 10 * minute + 59 * second],
    ['179m', 3 * hour - 1],
    ['3h', 3 * hour],
    ['3h1m', 3 * hour + minute],
    ['7h59m', 8 * hour - 1],
    ['8h', 8 * hour + 59 * minute],
    ['47h', 2 * day - 1],
    ['2d', 2 * day],
    ['2d1h', 2 * day + hour],
    ['7d23h', 8 * day - 1],
    ['8d', 8 * day + 23 * hour],
    ['729d', 2 * year - 1],
    ['2y', 2 * year],
    ['2y1d', 2 * year + day],
    ['7y364d', 8 * year - 1],
    ['8y', 8 * year + 364 * day],
    ['100y', 100 * year],
  ])('%s', (text, ms) => {
    expect(humanDuration(ms)).toBe(text)
  })

  it('is monotonic', () => {
    const units: Record<string, number> = { s: second, m: minute, h: hour, d: day, y: year }
    const meant = (text: string): number =>
      [...text.matchAll(/(\d+)([smhdy])/g)].reduce(
        (sum, [, n, u]) => sum + Number(n) * units[u!]!,
        0,
      )
    const duration = fc.integer({ min: 0, max: 20 * year })
    fc.assert(
      fc.property(duration, (ms) => {
        const lost = ms - meant(humanDuration(ms))
        expect(lost).toBeGreaterThanOrEqual(0)
        // At least two digits: the rounding error is below an eighth, except for the first seconds.
        expect(lost).toBeLessThan(Math.max(second, ms / 8))
      }),
    )
  })
})

describe('ageOf', () => {
  const now = Date.UTC(2026, 0, 2, 3, 4, 5)

  it('parses the timestamps of objects', () => {
    expect(ageOf('2026-01-02T03:00:00Z', now)).toBe('4m5s')
    expect(ageOf('2026-01-02T03:04:04.500000Z', now)).toBe('0s')
  })

  it('is <unknown> for an absent time', () => {
    expect(ageOf(null, now)).toBe('<unknown>')
    expect(ageOf(undefined, now)).toBe('<unknown>')
  })
})
