import { withoutTrailing } from '@machinist/core/trimmed'
import type { Attributes, ResourceAttributes } from './attributes.ts'
import { isPath, resourcePath } from './attributes.ts'
import type { PolicyRule } from './rbac-objects.ts'

/** Whether one rule permits one action. */
export function ruleAllows(rule: PolicyRule, attributes: Attributes): boolean {
  if (!names(rule.verbs, attributes.verb)) return false
  if (isPath(attributes)) {
    return (rule.nonResourceURLs ?? []).some((pattern) => urlMatches(pattern, attributes.path))
  }
  return (
    names(rule.apiGroups, attributes.group) &&
    resourceMatches(rule.resources ?? [], attributes) &&
    nameMatches(rule.resourceNames ?? [], attributes.name ?? '')
  )
}

/** `/healthz/*` stands for everything below; a star elsewhere than at the end is only a star. */
export function urlMatches(pattern: string, path: string): boolean {
  if (pattern === path) return true
  return pattern.endsWith('*') && path.startsWith(withoutTrailing(pattern, '*'))
}

/** The list says it itself, or says `*`. */
export function names(list: readonly string[] | undefined, wanted: string): boolean {
  return list !== undefined && (list.includes('*') || list.includes(wanted))
}

// `*` includes subresources; `pods` does not include `pods/log`; `*/scale` is the subresource of everything.
function resourceMatches(resources: readonly string[], attributes: ResourceAttributes): boolean {
  if (names(resources, resourcePath(attributes))) return true
  const { subresource } = attributes
  return subresource !== undefined && subresource !== '' && resources.includes(`*/${subresource}`)
}

/** A rule with names never permits what has no name yet: lists, watches of all, creates. */
function nameMatches(resourceNames: readonly string[], name: string): boolean {
  return resourceNames.length === 0 || resourceNames.includes(name)
}
