import { expect, it } from 'vitest'
import { drawable } from './terminal.ts'

it('a terminal can be redrawn unless it is dumb', () => {
  const screen = { isTTY: true, columns: 80, rows: 24 }
  expect(drawable(screen, { TERM: 'xterm-256color' })).toBe(screen)
  expect(drawable(screen, {})).toBe(screen)
  expect(drawable(screen, { TERM: 'dumb' })).toBeUndefined()
  expect(drawable({ ...screen, isTTY: false }, {})).toBeUndefined()
})
