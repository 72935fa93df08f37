import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PolicyIndex } from './policy-index.ts'
import type { MatchResources } from './policies/policy-objects.ts'
import { anyRuleMatches } from './policies/rule-matching.ts'

const rules = (apiGroups: string[], resources: string[]): MatchResources => ({
  resourceRules: [{ apiGroups, resources, apiVersions: ['*'], operations: ['*'] }],
})

const namesAt = (index: PolicyIndex<{ name: string }>, group: string, plural: string): string[] =>
  index.at([{ group, plural }]).map(({ name }) => name)

describe('the index of policies', () => {
  it('finds policies by group and resource, ordered by name', () => {
    const index = new PolicyIndex<{ name: string }>()
    index.set({ name: 'c' }, rules([''], ['pods/status', 'pods']))
    index.set({ name: 'b' }, rules(['apps'], ['*']))
    index.set({ name: 'a' }, rules(['*'], ['pods']))
    index.set({ name: 'd' }, {})
    expect(namesAt(index, '', 'pods')).toEqual(['a', 'c', 'd'])
    expect(namesAt(index, 'apps', 'deployments')).toEqual(['b', 'd'])
    expect(namesAt(index, '', 'nodes')).toEqual(['d'])
  })

  it('removes replaced and deleted policies', () => {
    const index = new PolicyIndex<{ name: string }>()
    index.set({ name: 'a' }, rules([''], ['pods']))
    index.set({ name: 'a' }, rules([''], ['nodes']))
    expect(namesAt(index, '', 'pods')).toEqual([])
    expect(namesAt(index, '', 'nodes')).toEqual(['a'])
    index.remove('a')
    index.remove('never there')
    expect(index.isEmpty).toBe(true)
    expect(namesAt(index, '', 'nodes')).toEqual([])
  })

  it('never misses a matching policy', () => {
    const word = fc.constantFrom('a', 'b', 'c')
    const policies = fc.uniqueArray(
      fc.record({
        name: fc.string({ minLength: 1, maxLength: 3 }),
        groups: fc.array(fc.constantFrom('a', 'b', '*'), { minLength: 1, maxLength: 2 }),
        resources: fc.array(fc.constantFrom('a', 'b', '*', 'a/*', '*/x', 'b/x', '*/*'), {
          minLength: 1,
          maxLength: 3,
        }),
      }),
      { selector: ({ name }) => name, maxLength: 8 },
    )
    const requested = fc.record({ group: word, plural: word, sub: fc.constantFrom('', 'x', 'y') })
    fc.assert(
      fc.property(policies, requested, (all, { group, plural, sub }) => {
        const index = new PolicyIndex<{ name: string }>()
        for (const { name, groups, resources } of all) index.set({ name }, rules(groups, resources))
        const found = new Set(namesAt(index, group, plural))
        const request = {
          group,
          version: 'v1',
          resource: plural,
          subresource: sub,
          operation: 'CREATE',
          namespace: '',
          name: 'n',
        }
        const matching = all.filter(({ groups, resources }) =>
          anyRuleMatches(rules(groups, resources).resourceRules!, request),
        )
        expect(matching.filter(({ name }) => !found.has(name))).toEqual([])
      }),
    )
  })
})
