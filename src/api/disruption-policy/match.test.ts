import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { closestRule, matchesPattern } from './match.ts'

const closest = (path: string, ...rules: string[]): string | undefined =>
  closestRule(
    path,
    rules.map((rule) => ({ path: rule })),
  )?.path

describe('the rule for a path', () => {
  const nested = ['/etc/mco/f1', '/etc/mco/f1/f2', '/etc/mco/f1/f2/f3']

  it.each([
    ['/etc/mco/test', ['/etc/example'], undefined],
    ['/etc/mco/test1', ['/etc/mco/test1', '/etc/mco/test2'], '/etc/mco/test1'],
    ['/etc/mco/f1/f2/example', nested, '/etc/mco/f1/f2'],
    ['/etc/mco/f1/f2/f3', nested, '/etc/mco/f1/f2/f3'],
    [
      '/etc/mco/f1/f2/f3',
      ['/etc/mco/f1/test', '/etc/mco/f1/f2/test', '/etc/mco/f1/f2/f3/f4'],
      undefined,
    ],
  ])('is, for %s among %j, %j', (path, rules, expected) => {
    expect(closest(path, ...rules)).toBe(expected)
    expect(closest(path, ...rules.toReversed())).toBe(expected)
  })

  it('matches whole path segments only', () => {
    expect(closest('/etc/containers', '/etc/cont')).toBeUndefined()
  })

  it('treats a trailing slash as a directory', () => {
    expect(closest('/etc/a/b', '/etc/a/')).toBe('/etc/a/')
    expect(closest('/etc/a', '/etc/a/')).toBeUndefined()
  })

  it('applies the rule for / unless a more specific rule matches', () => {
    expect(closest('/etc/a', '/', '/etc')).toBe('/etc')
    expect(closest('/var/a', '/', '/etc')).toBe('/')
  })

  it('is the first of equal rules', () => {
    const rules = [
      { path: '/etc/a', id: 1 },
      { path: '/etc/a', id: 2 },
    ]
    expect(closestRule('/etc/a', rules)!.id).toBe(1)
  })

  it('may be a pattern if no other rule is as specific', () => {
    expect(closest('/etc/app/a.conf', '/etc/app/*.conf')).toBe('/etc/app/*.conf')
    expect(closest('/etc/app/a.conf', '/etc', '/etc/app/*.conf')).toBe('/etc/app/*.conf')
    expect(closest('/etc/app/a.conf', '/etc/*/a.conf', '/etc/app')).toBe('/etc/app')
    expect(closest('/etc/app/a.conf', '/etc/app/*.conf', '/etc/app/a.conf')).toBe('/etc/app/a.conf')
  })

  it('prefers a pattern below a directory to the directory, and the directory to a pattern that starts above it', () => {
    expect(closest('/etc/app/a.conf', '/etc/app', '/etc/app/*.conf')).toBe('/etc/app/*.conf')
    expect(closest('/etc/app/a.txt', '/etc/app', '/etc/app/*.conf')).toBe('/etc/app')
    expect(closest('/etc/app/a.conf', '/etc/**.conf', '/etc/app')).toBe('/etc/app')
    expect(closest('/etc/app/a.conf', '/etc/app**', '/etc/app')).toBe('/etc/app')
  })

  it('prefers the longer of two patterns with the same prefix', () => {
    expect(closest('/etc/app/a.conf', '/etc/app/*', '/etc/app/*.conf')).toBe('/etc/app/*.conf')
  })

  it('with a star also matches the file of exactly that name', () => {
    expect(closest('/etc/*', '/etc/*')).toBe('/etc/*')
  })
})

describe('patterns', () => {
  it.each([
    ['/etc/*', '/etc/a', true],
    ['/etc/*', '/etc/a/b', false],
    ['/etc/**', '/etc/a/b', true],
    ['/etc/**/c', '/etc/a/b/c', true],
    ['/etc/**/c', '/etc/c', false],
    ['/etc/a?c', '/etc/abc', true],
    ['/etc/a?c', '/etc/a/c', false],
    ['/etc/?', '/etc/🦊', true],
    ['/etc/[a]', '/etc/a', false],
    ['/etc/*.d/*.conf', '/etc/x.d/y.conf', true],
    ['**', '/anything/at/all', true],
    ['/etc/*', '/etc/', true],
  ])('%s and %s: %s', (pattern, path, expected) => {
    expect(matchesPattern(path, pattern)).toBe(expected)
  })

  it('agree with regular expressions', () => {
    const piece = fc.constantFrom('a', 'b', '/', '?', '*', '**', '.')
    const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''))
    const path = fc
      .array(fc.constantFrom('a', 'b', '/', '.'), { maxLength: 10 })
      .map((letters) => letters.join(''))
    const expression = (pattern: string): RegExp =>
      new RegExp(
        `^${pattern.replaceAll(/\*\*+|[*?.]/g, (token) =>
          token === '.' ? '\\.' : token === '?' ? '[^/]' : token === '*' ? '[^/]*' : '.*',
        )}$`,
        's',
      )
    fc.assert(
      fc.property(text, path, (pattern, some) => {
        expect(matchesPattern(some, pattern)).toBe(expression(pattern).test(some))
      }),
      { numRuns: 1000 },
    )
  })

  it('match in bounded time', () => {
    const pattern = '**a'.repeat(200)
    expect(matchesPattern(`/${'a'.repeat(3000)}b`, pattern)).toBe(false)
  })
})
