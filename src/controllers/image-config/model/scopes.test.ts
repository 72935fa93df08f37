import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { locationPattern, sourcePattern } from '../../../api/schema/registry-names.ts'
import {
  covering,
  isMirror,
  isNested,
  isRegistry,
  isSource,
  scopeProblem,
  trimmed,
} from './scopes.ts'

describe('valid scopes of a list of registries', () => {
  it.each([
    'example.com',
    '*.example.com',
    'example.com:443/ns',
    'quay.io/',
    '10.0.0.1:5000',
    'http:5000/x',
  ])('%s', (scope) => expect(scopeProblem(scope)).toBeUndefined())

  it.each([
    ['', 'it is empty'],
    ['///', 'it is empty'],
    [
      '**.example.com',
      'the only supported wildcard is *.domain, for all hosts of a domain, without port or path',
    ],
    [
      'example.*.com',
      'the only supported wildcard is *.domain, for all hosts of a domain, without port or path',
    ],
    [
      '*.example.com/foo',
      'the only supported wildcard is *.domain, for all hosts of a domain, without port or path',
    ],
    [
      '*.example.com:foo',
      'the only supported wildcard is *.domain, for all hosts of a domain, without port or path',
    ],
    [
      '*example.com',
      'the only supported wildcard is *.domain, for all hosts of a domain, without port or path',
    ],
    ['https://example.com', 'remove https:// or http://'],
    ['HTTP://example.com', 'remove https:// or http://'],
    ['example.com ', 'it contains whitespace or a control character'],
    ['example\n.com', 'it contains whitespace or a control character'],
    ['a\u0000b', 'it contains whitespace or a control character'],
  ])('not %j', (scope, problem) => expect(scopeProblem(scope)).toBe(problem))
})

describe('nested scopes', () => {
  it.each([
    ['quay.io', 'quay.io'],
    ['quay.io/ns1', 'quay.io'],
    ['quay.io/ns1/ns2', 'quay.io/ns1'],
    ['foo.example.com', '*.example.com'],
    ['foo.example.com/bar', '*.example.com'],
    ['foo.example.com:443/bar/baz', '*.example.com'],
    ['*.foo.example.com', '*.example.com'],
    ['foo.example.com/bar:tag', '*.example.com'],
    ['foo.example.com/bar@sha256:00', '*.example.com'],
  ])('%s in %s', (sub, superior) => expect(isNested(sub, superior)).toBe(true))

  it.each([
    ['quay.io:443', 'quay.io'],
    ['quay.io', 'quay.io/ns1'],
    ['quay.io.example.com', 'quay.io'],
    ['bar/example.foo', '*.foo'],
    ['bar/example.foo:400', '*.foo'],
    ['example.com', '*.example.com'],
    ['*.example.com', 'foo.example.com'],
    ['fooexample.com', '*.example.com'],
  ])('but %s not in %s', (sub, superior) => expect(isNested(sub, superior)).toBe(false))

  const name = fc.constantFrom('a', 'b', 'c')
  const host = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('.'))
  const path = fc.array(fc.constantFrom('x', 'y.a', 'z'), { maxLength: 2 })
  const scope = fc.oneof(
    host.map((domain) => `*.${domain}`),
    fc
      .tuple(host, fc.constantFrom('', ':1'), path, fc.constantFrom('', ':t', '@d:0'))
      .map(([at, port, parts, end]) => `${[at + port, ...parts].join('/')}${end}`),
  )
  it('nesting is a partial order: reflexive, antisymmetric and transitive', () => {
    fc.assert(
      fc.property(scope, scope, scope, (a, b, c) => {
        expect(isNested(a, a)).toBe(true)
        expect(a !== b && isNested(a, b) && isNested(b, a)).toBe(false)
        expect(isNested(a, b) && isNested(b, c) && !isNested(a, c)).toBe(false)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('the scopes that cover a scope', () => {
  it('are listed from the nearest to the widest', () => {
    expect(covering('a.b.io:1/x/y')).toEqual([
      'a.b.io:1/x/y',
      'a.b.io:1/x',
      'a.b.io:1',
      '*.b.io',
      '*.io',
    ])
    expect(covering('*.b.io')).toEqual(['*.b.io', '*.b.io', '*.io'])
  })

  it('are those that it is nested in', () => {
    const text = fc.stringMatching(/^[ab*.:/@]{0,8}$/)
    fc.assert(
      fc.property(text, text, (sub, superior) => {
        expect(covering(sub).includes(superior)).toBe(isNested(sub, superior))
      }),
      { numRuns: 3000 },
    )
  })
})

describe('names of sources and mirrors', () => {
  // According to the patterns in OpenShift's CRDs.
  it.each([
    ['a', true, true],
    ['a.com', true, true],
    ['A.com', true, true],
    ['a-b.com:5000/x/y-z__w.v_u', true, true],
    ['10.0.0.1:5000', true, true],
    ['*.a.com', true, false],
    ['*.com', true, false],
    ['a.com/x--y', true, true],
    ['', false, false],
    ['*', false, false],
    ['*.', false, false],
    ['*.a.com/x', false, false],
    ['*.a.com:5000', false, false],
    ['a.com/', false, false],
    ['/x', false, false],
    ['a.com//x', false, false],
    ['a.com/X', false, false],
    ['a.com/-x', false, false],
    ['a.com/x-', false, false],
    ['a.com/x___y', false, false],
    ['a.com/x..y', false, false],
    ['a.com/x:tag', false, false],
    ['a.com:/x', false, false],
    ['a.com:5000:1', false, false],
    ['-a.com', false, false],
    ['a-.com', false, false],
    ['a..com', false, false],
    ['a.com ', false, false],
    ['a.com\n', false, false],
  ])('%j', (text, source, mirror) => {
    expect([isSource(text), isMirror(text)]).toEqual([source, mirror])
  })

  it('a search registry is a host with an optional port', () => {
    expect(['quay.io', 'quay.io:443', 'localhost'].map(isRegistry)).toEqual([true, true, true])
    expect(['quay.io/ns', '*.io', '', ':443', 'https://a'].map(isRegistry)).toEqual([
      false,
      false,
      false,
      false,
      false,
    ])
  })

  it('matching takes linear time for any text', () => {
    const long = 30_000
    for (const part of ['a', '-', '_', '.', 'a-', 'a.', 'a_', ':', '/', '*', 'a/', '*.', ' ']) {
      const text = part.repeat(long / part.length)
      for (const one of [text, `${text}!`, `a.com/${text}!`, `a/${text}`]) {
        for (const judge of [isSource, isMirror, isRegistry])
          expect(judge(one)).toBeTypeOf('boolean')
        expect([undefined, 'string']).toContain(
          scopeProblem(one) === undefined ? undefined : 'string',
        )
        expect(trimmed(one).endsWith('/')).toBe(false)
      }
    }
  })

  const text = fc.stringMatching(/^[a-cA*.:/_\-0-9 @]{0,12}$/)

  it('are those that the patterns of our CRDs accept', () => {
    const [source, location] = [new RegExp(sourcePattern), new RegExp(locationPattern)]
    fc.assert(
      fc.property(text, (one) => {
        expect(source.test(one)).toBe(isSource(one))
        expect(location.test(one)).toBe(isMirror(one))
      }),
      { numRuns: 1000 },
    )
  })

  it('every mirror is a valid source and a valid scope', () => {
    fc.assert(
      fc.property(fc.oneof(text, fc.string()), (one) => {
        expect(isRegistry(one) && !isMirror(one)).toBe(false)
        expect(isMirror(one) && !isSource(one)).toBe(false)
        expect(isSource(one) && scopeProblem(one) !== undefined).toBe(false)
      }),
      { numRuns: 1000 },
    )
  })
})
