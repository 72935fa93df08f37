import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readTimestamp, timestamp } from './timestamp.ts'

it('formats a time to the second', () => {
  expect(timestamp(Date.parse('2026-01-01T12:34:56.789Z'))).toBe('2026-01-01T12:34:56Z')
})

describe('readTimestamp', () => {
  it.each([
    ['2026-01-01T12:34:56Z', 1_767_270_896_000],
    ['2026-01-01T12:34:56.789Z', 1_767_270_896_789],
    ['2026-01-01T14:34:56+02:00', 1_767_270_896_000],
    ['2026-01-01', undefined],
    ['2026-01-01 12:34:56Z', undefined],
    ['2026-01-01T12:34:56', undefined],
    ['2026-13-01T12:34:56Z', undefined],
    [' 2026-01-01T12:34:56Z', undefined],
    ['Thu, 01 Jan 2026 12:34:56 GMT', undefined],
    ['1767270896', undefined],
    ['', undefined],
  ])('%j', (text, expected) => {
    expect(readTimestamp(text)).toBe(expected)
  })

  it('reads every formatted time', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_000_000_000 }), (seconds) => {
        expect(readTimestamp(timestamp(seconds * 1000))).toBe(seconds * 1000)
      }),
    )
  })

  it('reads any text without an error', () => {
    const parts = fc.constantFrom('2026', '-', '01', 'T', ':', 'Z', '.', '+', '99', ' ')
    fc.assert(
      fc.property(fc.array(parts), (all) => {
        expect(['number', 'undefined']).toContain(typeof readTimestamp(all.join('')))
      }),
    )
  })
})
