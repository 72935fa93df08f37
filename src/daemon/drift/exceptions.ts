import { closestRule } from '../../api/disruption-policy/match.ts'
import type { Difference } from '../verify/difference.ts'
import type { CertificateFiles } from './certificate-files.ts'

/** Paths, directories and patterns at which nobody looks for differences. */
export class Exceptions {
  readonly #rules: readonly { readonly path: string }[]
  readonly #certificates: Pick<CertificateFiles, 'isOfTrustLane'>

  constructor(paths: readonly string[], certificates: Pick<CertificateFiles, 'isOfTrustLane'>) {
    this.#rules = paths.map((path) => ({ path }))
    this.#certificates = certificates
  }

  has(path: string): boolean {
    return this.#certificates.isOfTrustLane(path) || closestRule(path, this.#rules) !== undefined
  }

  without(differences: readonly Difference[]): Difference[] {
    return differences.filter(({ at }) => !this.has(at))
  }
}
