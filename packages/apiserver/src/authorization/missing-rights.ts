import { goList } from './go-list.ts'
import type { PolicyRule } from './rbac-objects.ts'
import { names, urlMatches } from './rule-matching.ts'

/**
 * What `granted` permits beyond `owned`, described one resource per line and sorted, as the refusal lists it. Every rule
 * is taken apart into single rights, because several owned rules together may cover one that is granted.
 */
export function missingRights(
  owned: readonly PolicyRule[],
  granted: readonly PolicyRule[],
): string[] {
  const resources = new Map<string, string[]>()
  const lines = new Set<string>()
  for (const rule of granted) {
    for (const right of resourceRights(rule)) {
      if (owned.some((own) => coversResource(own, right))) continue
      const place = placeText(right)
      const verbs = resources.get(place)
      if (verbs) verbs.push(right.verb)
      else resources.set(place, [right.verb])
    }
    for (const right of urlRights(rule)) {
      if (owned.some((own) => coversUrl(own, right))) continue
      lines.add(`{NonResourceURLs:${goList([right.url])}, Verbs:${goList([right.verb])}}`)
    }
  }
  for (const [place, verbs] of resources) lines.add(`{${place}, Verbs:${goList(verbs)}}`)
  return [...lines].sort()
}

interface ResourceRight {
  readonly group: string
  readonly resource: string
  readonly verb: string
  /** Absent: all objects. */
  readonly name: string | undefined
}

interface UrlRight {
  readonly url: string
  readonly verb: string
}

function resourceRights(rule: PolicyRule): ResourceRight[] {
  const objects = rule.resourceNames?.length ? rule.resourceNames : [undefined]
  return (rule.apiGroups ?? []).flatMap((group) =>
    (rule.resources ?? []).flatMap((resource) =>
      rule.verbs.flatMap((verb) => objects.map((name) => ({ group, resource, verb, name }))),
    ),
  )
}

function urlRights(rule: PolicyRule): UrlRight[] {
  return (rule.nonResourceURLs ?? []).flatMap((url) => rule.verbs.map((verb) => ({ url, verb })))
}

function coversResource(own: PolicyRule, { group, resource, verb, name }: ResourceRight): boolean {
  const onlySome = own.resourceNames?.length ? own.resourceNames : undefined
  return (
    names(own.verbs, verb) &&
    names(own.apiGroups, group) &&
    coversKind(own.resources ?? [], resource) &&
    (!onlySome || (name !== undefined && onlySome.includes(name)))
  )
}

function coversKind(resources: readonly string[], resource: string): boolean {
  if (names(resources, resource)) return true
  const slash = resource.indexOf('/')
  return slash >= 0 && resources.includes(`*${resource.slice(slash)}`)
}

function coversUrl(own: PolicyRule, { url, verb }: UrlRight): boolean {
  return (
    names(own.verbs, verb) &&
    !own.resourceNames?.length &&
    (own.nonResourceURLs ?? []).some((pattern) => urlMatches(pattern, url))
  )
}

function placeText({ group, resource, name }: ResourceRight): string {
  const kind = `APIGroups:${goList([group])}, Resources:${goList([resource])}`
  return name === undefined ? kind : `${kind}, ResourceNames:${goList([name])}`
}
