import { canonicalJson } from '@machinist/core/json'
import { matchesLabels, nothing, selectorFromSpec } from '@machinist/core/selectors'
import type { ClusterRole, PolicyRule } from '../authorization/rbac-objects.ts'

/**
 * The rules of a cluster role that collects those of others: each rule once, in the order of selectors, then of names.
 * Undefined where a role has rules of its own.
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
