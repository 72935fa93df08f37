import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Registry } from '../../../planner/actions/registries.ts'
import { remainderAfter, pullPlaces, registryFinder } from './pull-sources.ts'

const entry = (prefix: string, location: string, more: Partial<Registry> = {}): Registry => ({
  prefix,
  location,
  insecure: false,
  blocked: false,
  byDigestOnly: false,
  mirrors: [],
  ...more,
})
const mirror = (location: string, pull = '') => ({ location, insecure: false, pull })

describe('pull sources of nodes', () => {
  it.each([
    ['a.io', 'a.io', ''],
    ['a.io/x/y', 'a.io', '/x/y'],
    ['a.io/x/y', 'a.io/x', '/y'],
    ['a.io:5000/x', 'a.io', ':5000/x'],
    ['a.io/x@sha256:0', 'a.io/x', '@sha256:0'],
    ['a.io/xy', 'a.io/x', undefined],
    ['a.iox', 'a.io', undefined],
    ['a.io', 'a.io/x', undefined],
    ['b.a.io/x', '*.a.io', '/x'],
    ['c.b.a.io', '*.a.io', ''],
    ['a.io/x', '*.a.io', undefined],
    ['b.a.iox/x', '*.a.io', undefined],
    ['b/c.a.io', '*.a.io', undefined],
  ])('the remainder of %s after the prefix %s is %s', (name, prefix, rest) => {
    expect(remainderAfter(name, prefix)).toBe(rest)
  })

  it('the entry with the longest prefix applies', () => {
    const [wide, narrow] = [entry('', 'a.io'), entry('', 'a.io/x')]
    for (const entries of [
      [wide, narrow],
      [narrow, wide],
    ]) {
      expect(registryFinder(entries)('a.io/x/y')).toBe(narrow)
      expect(registryFinder(entries)('a.io/y')).toBe(wide)
      expect(registryFinder(entries)('b.io')).toBeUndefined()
    }
  })

  it('of two entries with prefixes of the same length, the wildcard applies', () => {
    const [host, domain] = [entry('', 'b.a.io'), entry('*.a.io', '')]
    expect(registryFinder([host, domain])('b.a.io/x')).toBe(domain)
    expect(registryFinder([host, domain])('bb.a.io:5/x')).toBe(domain)
    expect(registryFinder([host])('b.a.io:5/x')).toBe(host)
  })

  it('the lookup equals a linear search', () => {
    const text = fc.stringMatching(/^[ab*.:/@]{1,7}$/)
    fc.assert(
      fc.property(text, fc.uniqueArray(text, { maxLength: 6 }), (name, scopes) => {
        const fitting = scopes.filter((scope) => remainderAfter(name, scope) !== undefined)
        const longest = Math.max(0, ...fitting.map((scope) => scope.length))
        const found = registryFinder(scopes.map((scope) => entry(scope, '')))(name)
        expect(found?.prefix.length ?? 0).toBe(longest)
      }),
      { numRuns: 3000 },
    )
  })

  it('mirrors come first if they serve the kind of reference', () => {
    const mirrors = [mirror('m1.io', 'tag-only'), mirror('m2.io', 'digest-only'), mirror('m3.io')]
    const names = (registry: Registry, by: 'digest' | 'tag'): string[] =>
      pullPlaces(registry, 'a.io/x', by).map(({ name }) => name)
    expect(names(entry('', 'a.io', { mirrors }), 'tag')).toEqual(['m1.io/x', 'm3.io/x', 'a.io/x'])
    expect(names(entry('', 'a.io', { mirrors }), 'digest')).toEqual([
      'm2.io/x',
      'm3.io/x',
      'a.io/x',
    ])
    const byDigestOnly = entry('', 'a.io', { mirrors: [mirror('m3.io')], byDigestOnly: true })
    expect(names(byDigestOnly, 'tag')).toEqual(['a.io/x'])
    expect(names(byDigestOnly, 'digest')).toEqual(['m3.io/x', 'a.io/x'])
    expect(names(entry('*.io', ''), 'tag')).toEqual(['a.io/x'])
    expect(names(entry('', 'b.io'), 'tag')).toEqual([])
  })
})
