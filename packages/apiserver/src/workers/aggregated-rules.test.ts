import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ClusterRole, PolicyRule } from '../authorization/rbac-objects.ts'
import { aggregatedRules } from './aggregated-rules.ts'

const rule = (resource: string): PolicyRule => ({
  verbs: ['get'],
  apiGroups: [''],
  resources: [resource],
})

const role = (name: string, to: string, ...resources: string[]): ClusterRole => ({
  kind: 'ClusterRole',
  metadata: { name, labels: { to } },
  rules: resources.map(rule),
})

const collecting = (name: string, ...from: string[]): ClusterRole => ({
  kind: 'ClusterRole',
  metadata: { name, labels: { to: 'all' } },
  rules: [rule('leftovers')],
  aggregationRule: { clusterRoleSelectors: from.map((to) => ({ matchLabels: { to } })) },
})

describe('the rules of an aggregating role', () => {
  it('are ordered by selector, then by name, without duplicates', () => {
    const roles = [
      role('z', 'a', 'nodes', 'pods'),
      role('y', 'a', 'pods', 'secrets'),
      role('x', 'b', 'events', 'nodes'),
      role('w', 'c', 'jobs'),
    ]
    const collected = aggregatedRules(collecting('all', 'b', 'a'), roles)
    expect(collected?.map(({ resources }) => resources?.[0])).toEqual([
      'events',
      'nodes',
      'pods',
      'secrets',
    ])
  })

  it('exclude its own, even if it selects itself', () => {
    const self = collecting('all', 'all')
    expect(aggregatedRules(self, [self])).toEqual([])
  })

  it('are undefined for a role that does not aggregate', () => {
    expect(aggregatedRules(role('plain', 'a', 'pods'), [])).toBeUndefined()
  })

  it('do not depend on the order of roles', () => {
    const names = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,3}$/), { maxLength: 8 })
    fc.assert(
      fc.property(names, fc.infiniteStream(fc.nat()), (chosen, random) => {
        const roles = chosen.map((name, i) => role(name, 'a', `r${i % 3}`))
        const numbered = roles.map((each) => [random.next().value as number, each] as const)
        const shuffled = numbered.sort(([a], [b]) => a - b).map(([, each]) => each)
        const all = collecting('0', 'a')
        expect(aggregatedRules(all, shuffled)).toEqual(aggregatedRules(all, roles))
      }),
      { numRuns: 100 },
    )
  })
})
