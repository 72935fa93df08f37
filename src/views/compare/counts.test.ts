import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { directRotation, renderedRotation } from './sample.fixture.ts'
import { arrivals, counted, listed, range, seconds } from './counts.ts'

describe('numbers in words', () => {
  it('is one number where nodes agree, and two where they do not', () => {
    expect([range([]), range([0]), range([3, 3, 3]), range([2, 1, 4])]).toEqual([
      '–',
      '0',
      '3',
      '1–4',
    ])
  })

  it('counts things', () => {
    expect([0, 1, 2].map((number) => counted(number, 'file'))).toEqual([
      'no file',
      '1 file',
      '2 files',
    ])
  })

  it('rounds seconds to what can be told apart', () => {
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

  it('names a few, and counts the others', () => {
    expect(listed([])).toBe('')
    expect(listed(['a'])).toBe('a')
    expect(listed(['a', 'b'])).toBe('a and b')
    expect(listed(['a', 'b', 'c'])).toBe('a, b and c')
    expect(listed(['a', 'b', 'c', 'd'])).toBe('a, b and 2 more')
  })

  it('never forgets anybody', () => {
    const names = fc.array(fc.stringMatching(/^[a-z]{1,3}$/), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(names, fc.integer({ min: 2, max: 5 }), (all, most) => {
        const parts = listed(all, most).split(/, | and /)
        const more = /^(\d+) more$/.exec(parts.at(-1)!)?.[1]
        const shown = more === undefined ? parts : parts.slice(0, -1)
        expect(shown).toEqual(all.slice(0, shown.length))
        expect(shown.length + Number(more ?? 0)).toBe(all.length)
        expect(parts.length).toBeLessThanOrEqual(most)
      }),
    )
  })

  it('takes those to whom the CA came, in order', () => {
    expect(arrivals(renderedRotation)).toEqual([1.12, 1.12, 2.42, 2.42])
    expect(arrivals(directRotation)).toEqual([0.6, 0.6, 0.6, 0.6, 0.6, 1.18])
  })
})
