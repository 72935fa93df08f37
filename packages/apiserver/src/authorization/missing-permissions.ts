import { goList } from '../go/list-text.ts'
import type { PolicyRule } from './rbac-objects.ts'
import { includesOrStar, urlMatches } from './rule-matching.ts'

/**
 * Permissions of `granted` that `owned` does not cover, one resource per line and sorted, as the error lists them.
 * Rules are split into single permissions, because several owned rules together can cover a granted one.
 */
export function missingPermissions(
  owned: readonly PolicyRule[],
  granted: readonly PolicyRule[],
): string[] {
  const resources = new Map<string, string[]>()
  const lines = new Set<string>()
  for (const rule of granted) {
    for (const right of resourcePermissions(rule)) {
      if (owned.some((own) => coversResource(own, right))) continue
      const place = placeText(right)
      const verbs = resources.get(place)
      if (verbs) verbs.push(right.verb)
      else resources.set(place, [right.verb])
    }
    for (const right of urlPermissions(rule)) {
      if (owned.some((own) => coversUrl(own, right))) continue
      lines.add(`{NonResourceURLs:${goList([right.url])}, Verbs:${goList([right.verb])}}`)
    }
  }
  for (const [place, verbs] of resources) lines.add(`{${place}, Verbs:${goList(verbs)}}`)
  return [...lines].sort()
}

interface ResourcePermission {
  readonly group: string
  readonly resource: string
  readonly verb: string
  /** Absent: all objects. */
  readonly name: string | undefined
}

interface UrlPermission {
  readonly url: string
  readonly verb: string
}

function resourcePermissions(rule: PolicyRule): ResourcePermission[] {
  const objects = rule.resourceNames?.length ? rule.resourceNames : [undefined]
  return (rule.apiGroups ?? []).flatMap((group) =>
    (rule.resources ?? []).flatMap((resource) =>
      rule.verbs.flatMap((verb) => objects.map((name) => ({ group, resource, verb, name }))),
    ),
  )
}

function urlPermissions(rule: PolicyRule): UrlPermission[] {
  return (rule.nonResourceURLs ?? []).flatMap((url) => rule.verbs.map((verb) => ({ url, verb })))
}

function coversResource(
  own: PolicyRule,
  { group, resource, verb, name }: ResourcePermission,
): boolean {
  const onlySome = own.resourceNames?.length ? own.resourceNames : undefined
  return (
    includesOrStar(own.verbs, verb) &&
    includesOrStar(own.apiGroups, group) &&
    coversKind(own.resources ?? [], resource) &&
    (!onlySome || (name !== undefined && onlySome.includes(name)))
  )
}

function coversKind(resources: readonly string[], resource: string): boolean {
  if (includesOrStar(resources, resource)) return true
  const slash = resource.indexOf('/')
  return slash >= 0 && resources.includes(`*${resource.slice(slash)}`)
}

function coversUrl(own: PolicyRule, { url, verb }: UrlPermission): boolean {
  return (
    includesOrStar(own.verbs, verb) &&
    !own.resourceNames?.length &&
    (own.nonResourceURLs ?? []).some((pattern) => urlMatches(pattern, url))
  )
}

function placeText({ group, resource, name }: ResourcePermission): string {
  const kind = `APIGroups:${goList([group])}, Resources:${goList([resource])}`
  return name === undefined ? kind : `${kind}, ResourceNames:${goList([name])}`
}
