import type { ResourceRule } from './policy-objects.ts'

/** The part of a request that rules match. */
export interface Matchable {
  readonly group: string
  readonly version: string
  /** The plural. */
  readonly resource: string
  readonly subresource: string
  readonly operation: string
  /** Empty for cluster-scoped objects; a Namespace is in the namespace of its own name. */
  readonly namespace: string
  readonly name: string
}

/** Whether any rule matches the request. */
export function anyRuleMatches(rules: readonly ResourceRule[], request: Matchable): boolean {
  return rules.some((rule) => ruleMatches(rule, request))
}

function ruleMatches(rule: ResourceRule, request: Matchable): boolean {
  const { apiGroups = [], apiVersions = [], operations = [], resources = [], scope = '*' } = rule
  return (
    scopeMatches(scope, request) &&
    includes(operations, request.operation) &&
    includes(apiGroups, request.group) &&
    includes(apiVersions, request.version) &&
    resources.some((resource) => resourceMatches(resource, request)) &&
    nameMatches(rule.resourceNames ?? [], request.name)
  )
}

const includes = (list: readonly string[], item: string): boolean =>
  list.includes('*') || list.includes(item)

/** `pods` matches only pods, `pods/*` pods and their subresources, `*` every resource but no subresource. */
function resourceMatches(pattern: string, { resource, subresource }: Matchable): boolean {
  const [main, below] = splitResource(pattern)
  return (main === '*' || main === resource) && (below === '*' || below === subresource)
}

export function splitResource(pattern: string): [resource: string, subresource: string] {
  const cut = pattern.indexOf('/')
  return cut === -1 ? [pattern, ''] : [pattern.slice(0, cut), pattern.slice(cut + 1)]
}

function scopeMatches(scope: string, { group, version, resource, namespace }: Matchable): boolean {
  const isNamespace = group === '' && version === 'v1' && resource === 'namespaces'
  const inside = namespace !== '' && !isNamespace
  return scope === '*' || (scope === 'Namespaced' ? inside : scope === 'Cluster' && !inside)
}

const nameMatches = (names: readonly string[], name: string): boolean =>
  names.length === 0 || names.includes(name)
