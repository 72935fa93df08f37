import { keyText } from '@machinist/core/objects/resource'
import { certificateTypes } from '../../../api/labels.ts'
import { lacksMetadata } from '../facts/certificate-metadata.ts'
import type { Authority, BundleFacts, CertificateFacts } from '../facts/facts.ts'
import { currentIn, previousIn } from '../facts/facts.ts'
import { holds } from './gate.ts'
import { lostFromBundle, ownAuthorities } from './own-authorities.ts'
import type { RetiringAuthority } from './retiring.ts'

export interface BundleStep {
  /** The CAs that the bundle must contain, in any order. */
  readonly authorities: readonly Authority[]
  /** Fingerprints of the signer's own CAs: those in the bundle, and some that were removed from it. */
  readonly own: readonly string[]
  /** Why the bundle is written; absent: it is up to date. */
  readonly why?: string
  /** Whether a CA is missing: then the current bundle is not published. */
  readonly adds: boolean
  /** The bundle cannot be parsed: it stays unchanged until a user repairs it. */
  readonly problem?: string
}

/** The desired bundle. Never empty, and never without a CA that may still be needed. */
export function bundleStep(
  facts: CertificateFacts,
  retiring: readonly RetiringAuthority[],
): BundleStep {
  const { rotation, bundle, now } = facts
  const present = bundle?.authorities ?? []
  if (bundle?.problem !== undefined) {
    const problem = `ConfigMap ${keyText(rotation.bundle)}, key ca-bundle.crt: ${bundle.problem}: repair it, or delete the ConfigMap to have the signer recreate it from its Secret, the leaf certificates and the published bundles`
    return { authorities: present, own: [], adds: false, problem }
  }
  const going = new Set(
    retiring
      .filter(({ neededBy }) => neededBy.length === 0)
      .map(({ authority }) => authority.fingerprint),
  )
  const kept = present.length > 0 ? present : lostFromBundle(facts)
  const desired = new Map(
    [...kept, currentIn(facts), previousIn(facts)]
      .flatMap((each) => each ?? [])
      .filter(({ fingerprint, notAfter }) => now <= notAfter && !going.has(fingerprint))
      .map((each) => [each.fingerprint, each]),
  )
  const authorities = [...desired.values()]
  const adds = authorities.some((each) => !holds(bundle, each))
  // An empty bundle would make every verification fail.
  if (authorities.length === 0) return { authorities: present, own: [], adds: false }
  const own = recordOf(facts, desired)
  const why = whyWritten(bundle, desired, own, rotation.onlyWhenExpired)
  return { authorities, own, adds, ...(why !== undefined && { why }) }
}

/** The record of own CAs on the bundle, the newest last. */
function recordOf(facts: CertificateFacts, desired: ReadonlyMap<string, Authority>): string[] {
  const known = [...ownAuthorities(facts)]
  const removed = known.filter((each) => !desired.has(each))
  const kept = known.filter((each) => desired.has(each))
  return [...removed.slice(-maxRemoved), ...kept]
}

/** A node with an older CA has been off for years. */
const maxRemoved = 32

function whyWritten(
  bundle: BundleFacts | undefined,
  desired: ReadonlyMap<string, Authority>,
  own: readonly string[],
  isLeftAlone: boolean,
): string | undefined {
  if (!bundle) return "configmap doesn't exist"
  const present = new Set(bundle.authorities.map(({ fingerprint }) => fingerprint))
  const added = [...desired.values()].filter(({ fingerprint }) => !present.has(fingerprint))
  if (added.length > 0) return `signer update ${added.map((each) => each.commonName).join(', ')}`
  const gone = bundle.authorities.filter(({ fingerprint }) => !desired.has(fingerprint))
  if (gone.length > 0) return `no longer needed: ${gone.map((each) => each.commonName).join(', ')}`
  if (isLeftAlone) return undefined
  if (!bundle.isTidy) return 'not sorted, or with other content than certificates'
  const isRecorded = bundle.own !== undefined && own.every((each) => bundle.own?.includes(each))
  return isRecorded && !lacksMetadata(bundle.metadata, certificateTypes.bundle)
    ? undefined
    : 'label or annotation missing'
}
