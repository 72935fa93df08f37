import { certificateTypes } from '../../api/labels.ts'
import { keyText } from '../../base/resource.ts'
import { isUndressed } from './dress.ts'
import type { Authority, BundleFacts, RotationFacts } from './facts.ts'
import { currentIn, leafIn, previousIn } from './facts.ts'
import { isOfFamily } from './family.ts'
import { holds } from './gate.ts'
import type { Retiring } from './retiring.ts'

export interface BundleStep {
  /** What it is to hold: in any order, for it is a set. */
  readonly authorities: readonly Authority[]
  /** Why it is written; absent: it need not be. */
  readonly why?: string
  /** Whether a CA is taken away that has not ended. */
  readonly removes: boolean
  /** Whether one is missing: what it holds now is not for others. */
  readonly adds: boolean
  /** Something in it cannot be read: it stays as it is until a person has looked. */
  readonly problem?: string
}

/** What the bundle is to hold. Never empty, and never without what somebody may need. */
export function bundleStep(facts: RotationFacts, retiring: readonly Retiring[]): BundleStep {
  const { rotation, bundle, now } = facts
  const there = bundle?.authorities ?? []
  if (bundle?.problem !== undefined) {
    const problem = `ConfigMap ${keyText(rotation.bundle)}, key ca-bundle.crt: ${bundle.problem}: repair it, or delete the ConfigMap to have it made anew from the signer's Secret, the certificates in use and what was published`
    return { authorities: there, removes: false, adds: false, problem }
  }
  const going = new Set(
    retiring
      .filter(({ neededBy }) => neededBy.length === 0)
      .map(({ authority }) => authority.fingerprint),
  )
  const kept = there.length > 0 ? there : [...signersInUse(facts), ...publishedBefore(facts)]
  const wanted = new Map(
    [...kept, currentIn(facts), previousIn(facts)]
      .flatMap((each) => each ?? [])
      .filter(({ fingerprint, notAfter }) => now <= notAfter && !going.has(fingerprint))
      .map((each) => [each.fingerprint, each]),
  )
  const authorities = [...wanted.values()]
  const removes = there.some(({ fingerprint }) => going.has(fingerprint))
  const adds = authorities.some((each) => !holds(bundle, each))
  // Without a CA of its own it would be a bundle that nobody is known by.
  if (authorities.length === 0) return { authorities: there, removes: false, adds: false }
  const why = whyWritten(bundle, wanted, rotation.onlyWhenExpired)
  return { authorities, removes, adds, ...(why !== undefined && { why }) }
}

function whyWritten(
  bundle: BundleFacts | undefined,
  wanted: ReadonlyMap<string, Authority>,
  isLeftAlone: boolean,
): string | undefined {
  if (!bundle) return "configmap doesn't exist"
  const there = new Set(bundle.authorities.map(({ fingerprint }) => fingerprint))
  const added = [...wanted.values()].filter(({ fingerprint }) => !there.has(fingerprint))
  if (added.length > 0) return `signer update ${added.map((each) => each.commonName).join(', ')}`
  const gone = bundle.authorities.filter(({ fingerprint }) => !wanted.has(fingerprint))
  if (gone.length > 0) return `no longer needed: ${gone.map((each) => each.commonName).join(', ')}`
  if (isLeftAlone) return undefined
  if (!bundle.isTidy) return 'not sorted, or with more in it than certificates'
  return isUndressed(bundle.dress, certificateTypes.bundle)
    ? 'label or annotation missing'
    : undefined
}

function signersInUse({ targets }: RotationFacts): Authority[] {
  return targets.flatMap((target) => leafIn(target)?.signedBy ?? [])
}

/** What was in it before, as far as it can be known: callers may still show a certificate that was replaced. */
function publishedBefore({ published, rotation }: RotationFacts): Authority[] {
  const found = published.flatMap((place) => place.found?.authorities ?? [])
  return found.filter(({ commonName }) => isOfFamily(commonName, rotation.signer))
}
