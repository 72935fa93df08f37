import { nodePaths } from '../../api/node-paths.ts'
import { closestRule } from '../../api/disruption-policy/match.ts'
import type { Difference } from '../verify/difference.ts'
import type { CertificateFiles } from '../trust/view/certificate-files.ts'

/** Paths, directories and patterns in which differences are ignored. */
export class DriftExceptions {
  readonly #rules: readonly { readonly path: string }[]
  readonly #certificates: Pick<CertificateFiles, 'isOfTrustLane'>

  constructor(paths: readonly string[], certificates: Pick<CertificateFiles, 'isOfTrustLane'>) {
    this.#rules = paths.map((path) => ({ path }))
    this.#certificates = certificates
  }

  has(path: string): boolean {
    return (
      // A new machine has it from the server, with a credential of its own, and the trust lane changes its CAs.
      path === nodePaths.bootstrapKubeconfig ||
      this.#certificates.isOfTrustLane(path) ||
      closestRule(path, this.#rules) !== undefined
    )
  }

  without(differences: readonly Difference[]): Difference[] {
    return differences.filter(({ at }) => !this.has(at))
  }
}
