import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { count, plural } from '../../views/wording.ts'
import { colorStyle, plainStyle } from './style.ts'
import { labelledLines, line } from './layout.ts'

it('a line is truncated at the width, and colors have no length', () => {
  expect(line(['abc', 'def'], 5)).toBe('abcd…')
  expect(line(['abc', ['def', colorStyle.red]], 6)).toBe('abc\u001b[31mdef\u001b[39m')
  expect(line(['abc', ['def', colorStyle.red]], 5)).toBe('abc\u001b[31md…\u001b[39m')
  expect(line([['a\u001b[2Jb', colorStyle.red]], 80)).toBe('\u001b[31ma\\u001b[2Jb\u001b[39m')
})

it('text is wrapped beside its label', () => {
  const canvas = { style: plainStyle, width: 30 }
  expect(labelledLines('label  ', 'one two three four five six', canvas)).toEqual([
    'label  one two three four five',
    '       six',
  ])
  expect(
    labelledLines('l ', 'one two three four five six seven eight', canvas, undefined, 1),
  ).toEqual(['l one two three four five six…'])
  expect(labelledLines('', 'abcdefghijklmnopqrstuvwxyz0123456789', canvas)).toEqual([
    'abcdefghijklmno…wxyz0123456789',
  ])
})

it('no text is wider than the window', () => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 24, max: 200 }), (text, width) => {
      const lines = labelledLines('abc ', text, { style: plainStyle, width })
      expect(lines.filter((each) => each.length > width)).toEqual([])
      expect(line([text, text], width).length).toBeLessThanOrEqual(width)
    }),
  )
})

it('numbers have thousands separators and plurals', () => {
  expect([count(1997), plural(1, 'node'), plural(0, 'node'), plural(2000, 'node')]).toEqual([
    '1,997',
    '1 node',
    '0 nodes',
    '2,000 nodes',
  ])
})
