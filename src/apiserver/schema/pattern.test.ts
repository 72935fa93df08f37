import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compilePattern, patternProblem } from './pattern.ts'

describe('patterns of Go', () => {
  it.each([
    ['^[a-z]+$', 'abc', true],
    ['(?i)^abc$', 'ABC', true],
    ['(?s)a.b', 'a\nb', true],
    ['^[[:alpha:]_]+$', 'ab_', true],
    ['^[[:digit:]]+$', '12a', false],
    ['\\Aabc\\z', 'abc', true],
    ['^\\Qa.b\\E$', 'a.b', true],
    ['^\\Qa.b\\E$', 'axb', false],
    ['^(?P<first>a)b$', 'ab', true],
    ['^\\pL+$', 'äöü', true],
    ['^[a-z0-9\\-]+$', 'a-1', true],
    ['^\\-$', '-', true],
    ['^.$', '😀', true],
    ['^a{2,3}$', 'aaaa', false],
  ])('%s on %j', (pattern, text, matches) => {
    expect(compilePattern(pattern).test(text)).toBe(matches)
  })

  it.each([
    ['(', 'error parsing regexp: missing closing ): `(`'],
    ['^(?!x)', 'error parsing regexp: invalid or unsupported Perl syntax: `(?!`'],
    ['(?<=x)y', 'error parsing regexp: invalid or unsupported Perl syntax: `(?<=`'],
    ['(a)\\1', 'error parsing regexp: invalid escape sequence: `\\1`'],
  ])('%s is refused', (pattern, why) => {
    expect(patternProblem(pattern)).toBe(why)
  })

  it('have a problem or compile, whatever they are', () => {
    fc.assert(
      fc.property(fc.string(), (pattern) => {
        const problem = patternProblem(pattern)
        const works = problem === undefined && compilePattern(pattern) instanceof RegExp
        expect(works || problem?.startsWith('error parsing regexp: ')).toBe(true)
      }),
      { numRuns: 500 },
    )
  })
})
