import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ResourceRule } from './policy-objects.ts'
import type { Matchable } from './rule-matching.ts'
import { anyRuleMatches, splitResource } from './rule-matching.ts'

const request: Matchable = {
  group: 'apps',
  version: 'v1',
  resource: 'deployments',
  subresource: '',
  operation: 'CREATE',
  namespace: 'x',
  name: 'd',
}
const rule: ResourceRule = {
  apiGroups: ['apps'],
  apiVersions: ['v1'],
  resources: ['deployments'],
  operations: ['CREATE', 'UPDATE'],
  scope: '*',
}

const matches = (change: Partial<ResourceRule>, requested: Partial<Matchable> = {}): boolean =>
  anyRuleMatches([{ ...rule, ...change }], { ...request, ...requested })

describe('a rule', () => {
  it('matches its resources', () => {
    expect(matches({})).toBe(true)
    expect(matches({ apiGroups: ['batch', 'apps'] })).toBe(true)
    expect(matches({ apiGroups: [''] })).toBe(false)
    expect(matches({ apiVersions: ['v2'] })).toBe(false)
    expect(matches({ operations: ['DELETE'] })).toBe(false)
    expect(matches({ resourceNames: ['d'] })).toBe(true)
    expect(matches({ resourceNames: ['e'] })).toBe(false)
  })

  it('treats a star as a wildcard', () => {
    expect(matches({ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'] })).toBe(true)
  })

  it.each([
    [['deployments'], 'status', false],
    [['deployments/*'], 'status', true],
    [['deployments/*'], '', true],
    [['deployments/status'], 'status', true],
    [['deployments/status'], '', false],
    [['deployments/status'], 'scale', false],
    [['*'], '', true],
    [['*'], 'status', false],
    [['*/status'], 'status', true],
    [['*/*'], 'scale', true],
    [['pods/*'], 'status', false],
  ])('of %j and the subresource %j: %s', (resources, subresource, expected) => {
    expect(matches({ resources }, { subresource })).toBe(expected)
  })

  it('matches scopes; a Namespace is cluster-scoped', () => {
    const namespace = { group: '', resource: 'namespaces', namespace: 'x' }
    const own = { apiGroups: [''], resources: ['namespaces'] }
    expect(matches({ scope: 'Namespaced' })).toBe(true)
    expect(matches({ scope: 'Cluster' })).toBe(false)
    expect(matches({ scope: 'Cluster' }, { namespace: '' })).toBe(true)
    expect(matches({ scope: 'Namespaced' }, { namespace: '' })).toBe(false)
    expect(matches({ ...own, scope: 'Cluster' }, namespace)).toBe(true)
    expect(matches({ ...own, scope: 'Namespaced' }, namespace)).toBe(false)
    expect(matches({ scope: 'Else' })).toBe(false)
  })

  it('without resources matches nothing', () => {
    expect(anyRuleMatches([{}], request)).toBe(false)
    expect(anyRuleMatches([], request)).toBe(false)
  })
})

describe('rules', () => {
  const words = fc.constantFrom('a', 'b', '*')
  const list = fc.array(words, { maxLength: 3 })
  const anyRule = fc.record({
    apiGroups: list,
    apiVersions: list,
    operations: list,
    resources: fc.array(fc.constantFrom('a', 'b', '*', 'a/b', 'a/*', '*/b', '*/*'), {
      maxLength: 3,
    }),
    scope: fc.constantFrom('*', 'Cluster', 'Namespaced'),
    resourceNames: fc.array(fc.constantFrom('a', 'b'), { maxLength: 2 }),
  })
  const word = fc.constantFrom('a', 'b', 'c')
  const anyRequest = fc.record({
    group: word,
    version: word,
    resource: word,
    subresource: fc.constantFrom('', 'b', 'c'),
    operation: word,
    namespace: fc.constantFrom('', 'a'),
    name: word,
  })

  it('match if any of them does, in any order', () => {
    fc.assert(
      fc.property(fc.array(anyRule, { maxLength: 4 }), anyRequest, (rules, requested) => {
        const one = rules.some((rule) => anyRuleMatches([rule], requested))
        expect(anyRuleMatches(rules, requested)).toBe(one)
        expect(anyRuleMatches(rules.toReversed(), requested)).toBe(one)
      }),
    )
  })

  it('match at least as much with an additional star', () => {
    fc.assert(
      fc.property(anyRule, anyRequest, (one, requested) => {
        const fields = ['apiGroups', 'apiVersions', 'operations'] as const
        for (const field of fields) {
          const wider = { ...one, [field]: [...one[field], '*'] }
          expect(Number(anyRuleMatches([wider], requested))).toBeGreaterThanOrEqual(
            Number(anyRuleMatches([one], requested)),
          )
        }
      }),
    )
  })

  it('split a resource and its subresource', () => {
    expect(splitResource('pods')).toEqual(['pods', ''])
    expect(splitResource('pods/log')).toEqual(['pods', 'log'])
    expect(splitResource('a/b/c')).toEqual(['a', 'b/c'])
  })
})
