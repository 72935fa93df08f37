import type { MatchResources } from './policies/policy-objects.ts'
import { splitResource } from './policies/rule-matching.ts'

interface Named {
  readonly name: string
}

/**
 * Policies by the groups and resources of their rules, so that a write that no policy matches costs a few lookups,
 * regardless of the number of policies.
 */
export class PolicyIndex<P extends Named> {
  readonly #byName = new Map<string, { readonly policy: P; readonly places: readonly string[] }>()
  readonly #byPlace = new Map<string, Set<P>>()

  get isEmpty(): boolean {
    return this.#byName.size === 0
  }

  set(policy: P, resources: MatchResources = {}): void {
    this.remove(policy.name)
    const places = placesOf(resources)
    this.#byName.set(policy.name, { policy, places })
    for (const place of places) {
      const there = this.#byPlace.get(place) ?? new Set()
      this.#byPlace.set(place, there.add(policy))
    }
  }

  remove(name: string): void {
    const known = this.#byName.get(name)
    if (!known) return
    this.#byName.delete(name)
    for (const place of known.places) {
      const there = this.#byPlace.get(place)
      there?.delete(known.policy)
      if (there?.size === 0) this.#byPlace.delete(place)
    }
  }

  /** Policies that may match one of these resources, by name. */
  at(places: readonly Place[]): P[] {
    const found = new Set<P>()
    for (const { group, plural } of places) {
      for (const place of [`${group}/${plural}`, `*/${plural}`, `${group}/*`, '*/*']) {
        for (const policy of this.#byPlace.get(place) ?? []) found.add(policy)
      }
    }
    return [...found].sort((a, b) => (a.name < b.name ? -1 : 1))
  }
}

interface Place {
  readonly group: string
  readonly plural: string
}

function placesOf({ resourceRules = [] }: MatchResources): string[] {
  // A policy without rules matches every resource.
  if (resourceRules.length === 0) return ['*/*']
  const places = resourceRules.flatMap(({ apiGroups = [], resources = [] }) =>
    apiGroups.flatMap((group) =>
      resources.map((resource) => `${group}/${splitResource(resource)[0]}`),
    ),
  )
  return [...new Set(places)]
}
