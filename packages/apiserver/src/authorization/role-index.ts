import type { LabelSelector } from '@machinist/core/objects/selectors'
import { matchesLabels, nothing, selectorFromSpec } from '@machinist/core/objects/selectors'
import type { AnyRole, ClusterRole, PolicyRule, RoleRef } from './rbac-objects.ts'

/** All roles by name, with the resolved rules of aggregating cluster roles. */
export class RoleIndex {
  readonly #roles = new Map<string, AnyRole>()
  readonly #aggregates = new Map<string, Aggregate>()
  /** Computed on first use, dropped when any cluster role changes. */
  readonly #collected = new Map<string, readonly PolicyRule[]>()

  set(role: AnyRole): void {
    const key = keyOf(role.kind, role.metadata.namespace, role.metadata.name)
    this.#roles.set(key, role)
    if (role.kind === 'Role') return
    const selectors = selectorsOf(role)
    if (selectors.length > 0) this.#aggregates.set(key, { selectors })
    else this.#aggregates.delete(key)
    this.#collected.clear()
  }

  remove(role: AnyRole): void {
    const key = keyOf(role.kind, role.metadata.namespace, role.metadata.name)
    this.#roles.delete(key)
    this.#aggregates.delete(key)
    if (role.kind === 'ClusterRole') this.#collected.clear()
  }

  /** The rules of the role that a binding in this namespace references; undefined if it does not exist. */
  rulesOf({ kind, name }: RoleRef, namespace: string): readonly PolicyRule[] | undefined {
    const key = keyOf(kind, namespace, name)
    const role = this.#roles.get(key)
    if (!role) return undefined
    if (!this.#aggregates.has(key)) return role.rules ?? []
    const known = this.#collected.get(key)
    if (known) return known
    const rules = uniqueRules(this.#collect(key, new Set()))
    this.#collected.set(key, rules)
    return rules
  }

  /** Aggregation can be nested or circular: each role is visited once. */
  #collect(key: string, visited: Set<string>): PolicyRule[] {
    if (visited.has(key)) return []
    visited.add(key)
    const aggregate = this.#aggregates.get(key)
    if (!aggregate) return [...(this.#roles.get(key)?.rules ?? [])]
    return [...this.#roles]
      .filter(([, role]) => role.kind === 'ClusterRole' && selects(aggregate, role))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([selected]) => this.#collect(selected, visited))
  }
}

interface Aggregate {
  readonly selectors: readonly LabelSelector[]
}

const keyOf = (kind: string, namespace: string | undefined, name: string): string =>
  kind === 'Role' ? `Role/${namespace ?? ''}/${name}` : `${kind}//${name}`

const selects = ({ selectors }: Aggregate, role: AnyRole): boolean =>
  selectors.some((selector) => matchesLabels(selector, role.metadata.labels))

const selectorsOf = (role: ClusterRole): LabelSelector[] =>
  (role.aggregationRule?.clusterRoleSelectors ?? []).map(usableSelector)

/** An invalid selector grants nothing. */
function usableSelector(spec: Parameters<typeof selectorFromSpec>[0]): LabelSelector {
  try {
    return selectorFromSpec(spec, nothing)
  } catch {
    return nothing
  }
}

function uniqueRules(rules: readonly PolicyRule[]): PolicyRule[] {
  return [...new Map(rules.map((rule) => [JSON.stringify(rule), rule])).values()]
}
