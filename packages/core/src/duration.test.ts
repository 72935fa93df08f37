import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readDuration } from './duration.ts'

describe('a duration', () => {
  it.each([
    ['8760h', 31_536_000_000],
    ['1h30m', 5_400_000],
    ['90s', 90_000],
    ['1h1m1s', 3_661_000],
    ['0s', 0],
  ])('%s is %i ms', (text, ms) => {
    expect(readDuration(text)).toBe(ms)
  })

  it.each(['', '1', 'h', '1d', '-1h', '1.5h', '1s1h', '1h 1m', '1h1h', '1000000h'])(
    '%j is not a duration',
    (text) => {
      expect(readDuration(text)).toBeUndefined()
    },
  )

  it('is the sum of its parts', () => {
    const [hours, minutes, seconds] = [fc.nat(999_999), fc.nat(9_999_999), fc.nat(999_999_999)]
    fc.assert(
      fc.property(hours, minutes, seconds, (h, m, s) => {
        expect(readDuration(`${h}h${m}m${s}s`)).toBe(h * 3_600_000 + m * 60_000 + s * 1000)
      }),
    )
  })
})
