import type { Labels, LabelSelector } from '@machinist/core/objects/selectors'
import { everything, matchesLabels, selectorFromSpec } from '@machinist/core/objects/selectors'
import type { ServedKind } from '../kinds/served-kind.ts'
import type { AdmissionRequest } from './admission-request.ts'
import type { MatchResources, ResourceRule } from './policies/policy-objects.ts'
import type { Matchable } from './policies/rule-matching.ts'
import { anyRuleMatches } from './policies/rule-matching.ts'

/** Facts about the object's surroundings that matchers need. */
export interface MatchContext {
  /** Kinds that serve the same objects, without the request's own kind. */
  readonly equivalents: readonly ServedKind[]
  readonly namespaceLabels: () => Labels | undefined
}

/** The compiled `matchConstraints` of a policy or `matchResources` of a binding. */
export class ResourceMatcher {
  readonly #namespaces: LabelSelector
  readonly #objects: LabelSelector
  readonly #rules: readonly ResourceRule[]
  readonly #excluded: readonly ResourceRule[]
  readonly #exact: boolean

  constructor(resources: MatchResources = {}) {
    this.#namespaces = selectorFromSpec(resources.namespaceSelector, everything)
    this.#objects = selectorFromSpec(resources.objectSelector, everything)
    this.#rules = resources.resourceRules ?? []
    this.#excluded = resources.excludeResourceRules ?? []
    this.#exact = resources.matchPolicy === 'Exact'
  }

  /** The kind that matches: the request's own or an equivalent one; undefined if none does. */
  match(request: AdmissionRequest, surroundings: MatchContext): ServedKind | undefined {
    if (!this.#inNamespace(request, surroundings) || !this.#hasLabels(request)) return undefined
    const { equivalents } = surroundings
    if (this.#kindBy(this.#excluded, request, equivalents)) return undefined
    if (this.#rules.length === 0) return request.kind
    return this.#kindBy(this.#rules, request, equivalents)
  }

  #kindBy(
    rules: readonly ResourceRule[],
    request: AdmissionRequest,
    equivalents: readonly ServedKind[],
  ): ServedKind | undefined {
    const candidates = this.#exact ? [request.kind] : [request.kind, ...equivalents]
    return candidates.find((kind) => anyRuleMatches(rules, matchable(request, kind)))
  }

  /** A namespaceSelector never excludes cluster-scoped objects. */
  #inNamespace({ namespace, kind }: AdmissionRequest, { namespaceLabels }: MatchContext): boolean {
    if (this.#namespaces.length === 0) return true
    if (namespace === '' && kind.plural !== 'namespaces') return true
    return matchesLabels(this.#namespaces, namespaceLabels())
  }

  /** The old or the new object matches, so that removing a label does not evade the policy. */
  #hasLabels({ object, before }: AdmissionRequest): boolean {
    if (this.#objects.length === 0) return true
    return [object, before].some(
      (each) => each !== undefined && matchesLabels(this.#objects, each.metadata.labels),
    )
  }
}

function matchable(request: AdmissionRequest, { group, version, plural }: ServedKind): Matchable {
  const { operation, namespace, name, subresource = '' } = request
  return { group, version, resource: plural, subresource, operation, namespace, name }
}
