import { keyText } from '@machinist/core/objects/resource'
import { certificateTypes } from '../../../api/labels.ts'
import { lacksMetadata } from '../facts/certificate-metadata.ts'
import type { Authority, BundleFacts, PublishedFacts, CertificateFacts } from '../facts/facts.ts'

export interface PublishStep {
  /** In the order of the file. */
  readonly authorities: readonly Authority[]
  readonly isDue: boolean
  /** Why the ConfigMap stays unchanged although it is outdated. */
  readonly problem?: string
}

/** The desired content of a ConfigMap that publishes the bundle: the bundle first, then the other inputs in their order. */
export function publishStep(
  { rotation, bundle, now }: CertificateFacts,
  { found, inputs, awaited, key }: PublishedFacts,
): PublishStep {
  const nothing = { authorities: found?.authorities ?? [], isDue: false }
  const bad = inputs.find((input) => input.bundle.problem !== undefined)
  if (bad) {
    const problem = `ConfigMap ${keyText(bad.key)}, key ca-bundle.crt: ${bad.bundle.problem}: until it is repaired, ConfigMap ${keyText(key)} stays unchanged`
    return { ...nothing, problem }
  }
  // Without the missing input, its CAs would not be trusted for a while.
  if (awaited) return nothing
  // A part of a bundle that cannot be parsed would remove trust; the bundle step reports the problem.
  if (!bundle || bundle.problem !== undefined || bundle.authorities.length === 0) return nothing
  const all = [bundle, ...inputs.map((input) => input.bundle)].flatMap((each) => each.authorities)
  const authorities = distinct(all.filter((each) => now <= each.notAfter))
  if (authorities.length === 0) return nothing
  return { authorities, isDue: !found || isBehind(found, authorities, rotation.onlyWhenExpired) }
}

function isBehind(
  found: BundleFacts,
  authorities: readonly Authority[],
  isLeftAlone: boolean,
): boolean {
  const isOther = fingerprints(found.authorities) !== fingerprints(authorities)
  if (isOther || found.problem !== undefined) return true
  return !isLeftAlone && (!found.isTidy || lacksMetadata(found.metadata, certificateTypes.bundle))
}

const fingerprints = (authorities: readonly Authority[]): string =>
  authorities.map(({ fingerprint }) => fingerprint).join()

/** Without duplicates, in the given order. */
function distinct(authorities: readonly Authority[]): Authority[] {
  return [...new Map(authorities.map((each) => [each.fingerprint, each])).values()]
}
