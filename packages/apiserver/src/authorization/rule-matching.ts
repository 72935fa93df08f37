import { withoutTrailing } from '@machinist/core/trimmed'
import type { Attributes, ResourceAttributes } from './attributes.ts'
import { isPath, resourcePath } from './attributes.ts'
import type { PolicyRule } from './rbac-objects.ts'

/** Whether a rule allows a request. */
export function ruleAllows(rule: PolicyRule, attributes: Attributes): boolean {
  if (!includesOrStar(rule.verbs, attributes.verb)) return false
  if (isPath(attributes)) {
    return (rule.nonResourceURLs ?? []).some((pattern) => urlMatches(pattern, attributes.path))
  }
  return (
    includesOrStar(rule.apiGroups, attributes.group) &&
    resourceMatches(rule.resources ?? [], attributes) &&
    nameMatches(rule.resourceNames ?? [], attributes.name ?? '')
  )
}

/** `/healthz/*` matches everything below; `*` is a wildcard only at the end. */
export function urlMatches(pattern: string, path: string): boolean {
  if (pattern === path) return true
  return pattern.endsWith('*') && path.startsWith(withoutTrailing(pattern, '*'))
}

/** Whether the list contains the item or `*`. */
export function includesOrStar(list: readonly string[] | undefined, item: string): boolean {
  return list !== undefined && (list.includes('*') || list.includes(item))
}

// `*` includes subresources; `pods` does not include `pods/log`; `*/scale` is that subresource of every resource.
function resourceMatches(resources: readonly string[], attributes: ResourceAttributes): boolean {
  if (includesOrStar(resources, resourcePath(attributes))) return true
  const { subresource } = attributes
  return subresource !== undefined && subresource !== '' && resources.includes(`*/${subresource}`)
}

/** A rule with resourceNames never allows requests without a name: list, watch, create. */
function nameMatches(resourceNames: readonly string[], name: string): boolean {
  return resourceNames.length === 0 || resourceNames.includes(name)
}
