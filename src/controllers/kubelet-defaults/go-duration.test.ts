import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readGoDuration } from './go-duration.ts'

describe('a Go duration', () => {
  it.each<[string, number]>([
    ['0', 0],
    ['0s', 0],
    ['10s', 10_000],
    ['1m0s', 60_000],
    ['1h30m', 5_400_000],
    ['1.5h', 5_400_000],
    ['.5s', 500],
    ['1.s', 1000],
    ['100ms', 100],
    ['5us', 0.005],
    ['5µs', 0.005],
    ['-10s', -10_000],
    ['+10s', 10_000],
    ['30m1h', 5_400_000],
  ])('%s', (text, ms) => {
    expect(readGoDuration(text)).toBe(ms)
  })

  it.each(['', '10', '-', 's', '10 s', '1d', '1h ', '.s', '1e3s', '1,5s', '3000000h', '∞', '1h1'])(
    '%j is invalid',
    (text) => {
      expect(readGoDuration(text)).toBeUndefined()
    },
  )

  it('is parsed in linear time', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('1', '.', 'h', 'm', 's', '-', 'µ') }),
        (text) => {
          const ms = readGoDuration(text.repeat(50))
          expect(ms === undefined || Number.isFinite(ms)).toBe(true)
        },
      ),
    )
  })
})
