import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { clockTime, durationText, toMilliseconds } from './times.ts'

it.each([
  [0, '0 s'],
  [999, '0 s'],
  [48_300, '48 s'],
  [60_000, '1 min'],
  [125_000, '2 min 5 s'],
  [3_600_000, '1 h'],
  [3_785_000, '1 h 3 min'],
  [273_600_000, '3 d 4 h'],
  [-5, '0 s'],
])('%d ms are %s', (ms, text) => {
  expect(durationText(ms)).toBe(text)
})

it('a duration has at most two units', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1e12 }), (ms) => {
      expect(durationText(ms)).toMatch(/^\d+ (d|h|min|s)( \d+ (h|min|s))?$/)
    }),
  )
})

it('an invalid time is undefined', () => {
  expect([
    toMilliseconds('2026-11-16T14:02:00Z'),
    toMilliseconds(''),
    toMilliseconds(null),
    toMilliseconds('soon'),
  ]).toEqual([1_794_837_720_000, undefined, undefined, undefined])
  expect(clockTime(1_794_837_720_000)).toBe('14:02:00')
})
