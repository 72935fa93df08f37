import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compilePattern, patternProblem } from './pattern.ts'

describe('RE2 patterns', () => {
  it.each([
    ['^[a-z]+$', 'abc', true],
    ['(?i)^abc$', 'ABC', true],
    ['^a(?i)b$', 'aB', true],
    ['^a(?i:b)c$', 'aBC', false],
    ['(?s)a.b', 'a\nb', true],
    ['a.b', 'a\nb', false],
    ['^b$', 'a\nb', false],
    ['(?m)^b$', 'a\nb', true],
    ['^[[:alpha:]_]+$', 'ab_', true],
    ['^[[:digit:]]+$', '12a', false],
    ['^[[:^digit:]]+$', 'ab', true],
    ['\\Aabc\\z', 'abc', true],
    ['^\\Qa.b\\E$', 'a.b', true],
    ['^\\Qa.b\\E$', 'axb', false],
    ['^(?P<first>a)b$', 'ab', true],
    ['^\\pL+$', 'äöü', true],
    ['^\\p{Greek}+$', 'αβ', true],
    ['^[a-z0-9\\-]+$', 'a-1', true],
    ['^\\-$', '-', true],
    ['^.$', '😀', true],
    ['^\\w$', 'ä', false],
    ['^a{2,3}$', 'aaaa', false],
    ['^a{,2}$', 'a{,2}', true],
  ])('%s on %j', (pattern, text, matches) => {
    expect(compilePattern(pattern).test(text)).toBe(matches)
  })

  it.each([
    ['(', 'missing closing ): `(`'],
    ['a)', 'unexpected ): `a)`'],
    ['[a', 'missing closing ]: `[a`'],
    ['[z-a]', 'invalid character class range: `z-a`'],
    ['[[:foo:]]', 'invalid character class range: `[:foo:]`'],
    ['\\p{Foo}', 'invalid character class range: `\\p{Foo}`'],
    ['^(?!x)', 'invalid or unsupported Perl syntax: `(?!`'],
    ['(?>a)', 'invalid or unsupported Perl syntax: `(?>`'],
    ['(?<=x)y', 'invalid named capture: `(?<=x)y`'],
    ['(?P<n', 'invalid named capture: `(?P<n`'],
    ['(a)\\1', 'invalid escape sequence: `\\1`'],
    ['\\Z', 'invalid escape sequence: `\\Z`'],
    ['\\', 'trailing backslash at end of expression: ``'],
    ['*a', 'missing argument to repetition operator: `*`'],
    ['a**', 'invalid nested repetition operator: `**`'],
    ['a{2,1}', 'invalid repeat count: `{2,1}`'],
    ['a{1001}', 'invalid repeat count: `{1001}`'],
    ['((a{1000}){1000})', 'invalid repeat count: `{1000}`'],
    ['(?:(?:a{2}){2}){251}', 'invalid repeat count: `{251}`'],
  ])('%s is invalid', (pattern, why) => {
    expect(patternProblem(pattern)).toBe(`error parsing regexp: ${why}`)
  })

  it('are invalid if nested too deeply', () => {
    const deep = '('.repeat(1001) + ')'.repeat(1001)
    expect(patternProblem(deep)).toBe(
      `error parsing regexp: expression nests too deeply: \`${deep}\``,
    )
    expect(patternProblem('('.repeat(50_000))).toMatch(/^error parsing regexp: /)
  })

  it.each([
    ['a*', 'baaac', '', ['', 'aaa', '']],
    ['[0-9]+', 'a1b22', '1', ['1', '22']],
    ['x', 'abc', undefined, []],
    ['', '😀', '', ['', '']],
    ['a|ab', 'abab', 'a', ['a', 'a']],
  ])('%s finds in %j', (pattern, text, first, all) => {
    expect(compilePattern(pattern).find(text)).toBe(first)
    expect(compilePattern(pattern).findAll(text)).toEqual(all)
  })

  // A backtracking engine needs exponential time for these.
  it.each([
    ['(a+)+$', false],
    ['^(([a-z])+.)+[A-Z]([a-z])+$', false],
    ['(a|aa)+$', false],
    ['^(.*a){12}$', false],
    ['(a*)*b', true],
  ])('%s takes linear time on a pathological text', (pattern, matches) => {
    expect(compilePattern(pattern).test(`${'a'.repeat(5000)}!b`)).toBe(matches)
  })

  it('match like JavaScript, if both support the pattern', () => {
    const atom = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\d', '(?:ab|b)', '(a|c)')
    const part = fc
      .tuple(atom, fc.constantFrom('', '', '?', '*', '+', '{2}', '*?'))
      .map(([what, often]) => what + often)
    const edges = fc.tuple(fc.constantFrom('', '^'), fc.constantFrom('', '$'))
    const pattern = fc
      .tuple(edges, fc.array(part, { maxLength: 5 }))
      .map(([[begin, end], parts]) => begin + parts.join('') + end)
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '1', 'ä'), maxLength: 12 })
    fc.assert(
      fc.property(pattern, text, (expected, given) => {
        const here = compilePattern(expected)
        const there = new RegExp(expected, 'u')
        expect(here.test(given)).toBe(there.test(given))
        expect(here.find(given)).toBe(there.exec(given)?.[0])
      }),
      { numRuns: 500 },
    )
  })

  it('are invalid or compile, for any text', () => {
    const nasty = fc.string({
      unit: fc.constantFrom(...Array.from('()[]{}?*+|\\^$.,:<>!=PQEpadz01-😀')),
    })
    fc.assert(
      fc.property(fc.oneof(fc.string(), nasty), fc.string(), (pattern, text) => {
        const problem = patternProblem(pattern)
        const works = problem === undefined && compilePattern(pattern)
        const found = works && works.find(text) !== undefined
        expect(works && works.test(text)).toBe(found)
        expect(problem ?? 'error parsing regexp: none: ``').toMatch(
          /^error parsing regexp: [^`]+: `[^]*`$/,
        )
      }),
      { numRuns: 1000 },
    )
  })

  it('are loaded on first use', () => {
    const loaded = 'Object.keys(createRequire(file).cache).filter((path) => path.includes("re2js"))'
    const script = `
      import { createRequire } from 'node:module'
      const file = ${JSON.stringify(import.meta.resolve('./pattern.ts'))}
      const { compilePattern } = await import(file)
      const before = ${loaded}.length
      compilePattern('a')
      console.log(before, ${loaded}.length)`
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script])
    expect(stdout.toString()).toBe('0 1\n')
  })
})
