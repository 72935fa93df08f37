import { expect, it } from 'vitest'
import { timestamp } from './timestamp.ts'

it('formats a time to the second', () => {
  expect(timestamp(Date.parse('2026-01-01T12:34:56.789Z'))).toBe('2026-01-01T12:34:56Z')
})
