import { closestRule } from '../../planner/policy-match.ts'
import type { Difference } from '../verify/difference.ts'

/** Since 4.16 certificates and pull secrets come to nodes by a way of their own: a config may only hold older ones. */
const trustLane = [
  '/etc/kubernetes/kubelet-ca.crt',
  '/etc/kubernetes/static-pod-resources/configmaps/cloud-config/ca-bundle.pem',
  '/etc/mco/internal-registry-pull-secret.json',
]

/** Paths, directories and patterns at which nobody looks for differences. */
export class Exceptions {
  readonly #rules: readonly { readonly path: string }[]

  constructor(paths: readonly string[], hasTrustLane: boolean) {
    this.#rules = [...paths, ...(hasTrustLane ? trustLane : [])].map((path) => ({ path }))
  }

  covers(path: string): boolean {
    return closestRule(path, this.#rules) !== undefined
  }

  /** Those that name one file. */
  get files(): ReadonlySet<string> {
    return new Set(this.#rules.map(({ path }) => path))
  }

  without(differences: readonly Difference[]): Difference[] {
    return differences.filter(({ at }) => !this.covers(at))
  }
}
