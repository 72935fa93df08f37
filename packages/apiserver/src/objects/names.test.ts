import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  labelProblems,
  labelValueProblems,
  nameProblems,
  prefixProblems,
  qualifiedNameProblems,
} from './names.ts'

describe('names', () => {
  it.each(['a', 'a.b', 'a-b.c-d', '0', 'x'.repeat(253)])('%s is valid', (name) => {
    expect(nameProblems(name)).toEqual([])
  })

  it.each(['', 'A', 'a_b', '-a', 'a-', 'a..b', '.a', 'x'.repeat(254)])('%s is invalid', (name) => {
    expect(nameProblems(name)).not.toEqual([])
  })

  it('have other rules for some kinds', () => {
    expect(nameProblems('system:node', 'path-segment')).toEqual([])
    expect(nameProblems('a/b%', 'path-segment')).toEqual([
      "may not contain '/'",
      "may not contain '%'",
    ])
    expect(nameProblems('..', 'path-segment')).toEqual(["may not be '..'"])
    expect(nameProblems('a.b', 'label')).toEqual(['must not contain dots'])
    expect(nameProblems('a.B', 'label')).not.toEqual(['must not contain dots'])
    expect(nameProblems('1a', 'service')).not.toEqual([])
    expect(nameProblems('a1', 'service')).toEqual([])
  })

  it('can be generated from any valid prefix', () => {
    expect(prefixProblems('many-')).toEqual([])
    expect(prefixProblems('many.')).not.toEqual([])
    expect(prefixProblems('-')).not.toEqual([])
    expect(prefixProblems('Many-')).not.toEqual([])
  })

  it('that are valid are safe in a path', () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        fc.pre(nameProblems(name).length === 0)
        expect(encodeURIComponent(name)).toBe(name)
      }),
      { numRuns: 200, maxSkipsPerRun: 1000 },
    )
  })
})

describe('labels', () => {
  it.each(['a', 'example.com/a', 'A_b.c'])('%s is a valid key', (key) => {
    expect(qualifiedNameProblems(key)).toEqual([])
  })

  it.each(['', '/a', 'a/', 'a b', 'Ex.com/a', 'a/b/c', 'x'.repeat(64)])(
    '%s is an invalid key',
    (key) => {
      expect(qualifiedNameProblems(key)).not.toEqual([])
    },
  )

  it('are all validated', () => {
    const causes = labelProblems('f', { good: 'yes', 'a b': 'x', c: '-' })
    expect(causes.map(({ field, message }) => `${field} ${message!.slice(0, 20)}`)).toEqual([
      'f Invalid value: "a b"',
      'f Invalid value: "-": ',
    ])
  })

  it('can have empty values, but no long ones', () => {
    expect(labelValueProblems('')).toEqual([])
    expect(labelValueProblems('x'.repeat(63))).toEqual([])
    expect(labelValueProblems('x'.repeat(64))).toEqual(['must be no more than 63 characters'])
  })
})
