import type { Labels, LabelSelector } from '@machinist/core/selectors'
import { everything, matchesLabels, selectorFromSpec } from '@machinist/core/selectors'
import type { ServedKind } from '../kinds/served-kind.ts'
import type { AdmissionRequest } from './admission-request.ts'
import type { MatchResources, ResourceRule } from './policy-objects.ts'
import type { Matchable } from './rule-matching.ts'
import { anyRuleMatches } from './rule-matching.ts'

/** The places where the objects of a request are served too: other versions, other groups. */
export interface Surroundings {
  /** Without the request's own kind. */
  readonly equivalents: readonly ServedKind[]
  readonly namespaceLabels: () => Labels | undefined
}

/** The `matchConstraints` of a policy or the `matchResources` of a binding, ready to be asked. */
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

  /** As which kind the request matches: its own or an equivalent one; undefined where it does not. */
  match(request: AdmissionRequest, surroundings: Surroundings): ServedKind | undefined {
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

  /** What is in no namespace is never left out by a selector of namespaces. */
  #inNamespace({ namespace, kind }: AdmissionRequest, { namespaceLabels }: Surroundings): boolean {
    if (this.#namespaces.length === 0) return true
    if (namespace === '' && kind.plural !== 'namespaces') return true
    return matchesLabels(this.#namespaces, namespaceLabels())
  }

  /** Before or after: nobody escapes by taking a label away. */
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
