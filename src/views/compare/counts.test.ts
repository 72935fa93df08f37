import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { directRotation, renderedRotation } from './sample.fixture.ts'
import { arrivals, counted, listed, range, seconds } from './counts.ts'

describe('counts as text', () => {
  it('are a range if nodes differ', () => {
    expect([range([]), range([0]), range([3, 3, 3]), range([2, 1, 4])]).toEqual([
      '–',
      '0',
      '3',
      '1–4',
    ])
  })

  it('have plurals', () => {
    expect([0, 1, 2].map((number) => counted(number, 'file'))).toEqual([
      'no file',
      '1 file',
      '2 files',
    ])
  })

  it('round seconds', () => {
    expect([undefined, 0, 0.04, 1.25, 9.94, 9.95, 24.4].map(seconds)).toEqual([
      '–',
      '0.0 s',
      '0.0 s',
      '1.3 s',
      '9.9 s',
      '10 s',
      '24 s',
    ])
  })

  it('name a few and count the others', () => {
    expect(listed([])).toBe('')
    expect(listed(['a'])).toBe('a')
    expect(listed(['a', 'b'])).toBe('a and b')
    expect(listed(['a', 'b', 'c'])).toBe('a, b and c')
    expect(listed(['a', 'b', 'c', 'd'])).toBe('a, b and 2 more')
  })

  it('count every name', () => {
    const names = fc.array(fc.stringMatching(/^[a-z]{1,3}$/), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(names, fc.integer({ min: 2, max: 5 }), (all, limit) => {
        const parts = listed(all, limit).split(/, | and /)
        const more = /^(\d+) more$/.exec(parts.at(-1)!)?.[1]
        const shown = more === undefined ? parts : parts.slice(0, -1)
        expect(shown).toEqual(all.slice(0, shown.length))
        expect(shown.length + Number(more ?? 0)).toBe(all.length)
        expect(parts.length).toBeLessThanOrEqual(limit)
      }),
    )
  })

  it('list the arrival times in order', () => {
    expect(arrivals(renderedRotation)).toEqual([1.12, 1.12, 2.42, 2.42])
    expect(arrivals(directRotation)).toEqual([0.6, 0.6, 0.6, 0.6, 0.6, 1.18])
  })
})
