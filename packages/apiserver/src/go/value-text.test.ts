import { describe, expect, it } from 'vitest'
import { goJsonType, goText } from './value-text.ts'

describe('values as Go prints them', () => {
  it.for([
    [{ b: 1, a: ['x', true, null] }, 'map[a:[x true <nil>] b:1]'],
    [{}, 'map[]'],
    ['x y', 'x y'],
    [[], '[]'],
    [1.5, '1.5'],
    [undefined, '<nil>'],
  ] as const)('%j', ([value, text]) => {
    expect(goText(value)).toBe(text)
  })

  it('returns their types', () => {
    expect([[], {}, 'x', 1, true].map(goJsonType)).toEqual([
      'array',
      'object',
      'string',
      'number',
      'bool',
    ])
  })
})
