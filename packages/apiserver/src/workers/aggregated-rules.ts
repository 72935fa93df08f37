import { canonicalJson } from '@machinist/core/encoding/json'
import { matchesLabels, nothing, selectorFromSpec } from '@machinist/core/objects/selectors'
import type { ClusterRole, PolicyRule } from '../authorization/rbac-objects.ts'

/**
 * The aggregated rules of a cluster role: each rule once, ordered by selector, then by name. Undefined if the role
 * does not aggregate.
 */
export function aggregatedRules(
  role: ClusterRole,
  roles: readonly ClusterRole[],
): PolicyRule[] | undefined {
  if (!role.aggregationRule) return undefined
  const byName = roles
    .filter(({ metadata }) => metadata.name !== role.metadata.name)
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
  const rules = (role.aggregationRule.clusterRoleSelectors ?? []).flatMap((spec) => {
    const selector = selectorFromSpec(spec, nothing)
    return byName
      .filter(({ metadata }) => matchesLabels(selector, metadata.labels))
      .flatMap((selected) => selected.rules ?? [])
  })
  return [...new Map(rules.map((rule) => [canonicalJson(rule), rule] as const)).values()]
}
