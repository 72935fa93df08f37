import { certificateTypes } from '../../api/labels.ts'
import { keyText } from '@machinist/core/resource'
import { isUndressed } from './dress.ts'
import type { Authority, BundleFacts, RotationFacts } from './facts.ts'
import { currentIn, previousIn } from './facts.ts'
import { holds } from './gate.ts'
import { lostFromBundle, ownAuthorities } from './own-authorities.ts'
import type { Retiring } from './retiring.ts'

export interface BundleStep {
  /** What it is to hold: in any order, for it is a set. */
  readonly authorities: readonly Authority[]
  /** Fingerprints of the signer's own CAs: those in it, which it may remove later, and some that were in it. */
  readonly own: readonly string[]
  /** Why it is written; absent: it need not be. */
  readonly why?: string
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
    return { authorities: there, own: [], adds: false, problem }
  }
  const going = new Set(
    retiring
      .filter(({ neededBy }) => neededBy.length === 0)
      .map(({ authority }) => authority.fingerprint),
  )
  const kept = there.length > 0 ? there : lostFromBundle(facts)
  const wanted = new Map(
    [...kept, currentIn(facts), previousIn(facts)]
      .flatMap((each) => each ?? [])
      .filter(({ fingerprint, notAfter }) => now <= notAfter && !going.has(fingerprint))
      .map((each) => [each.fingerprint, each]),
  )
  const authorities = [...wanted.values()]
  const adds = authorities.some((each) => !holds(bundle, each))
  // Without a CA of its own it would be a bundle that nobody is known by.
  if (authorities.length === 0) return { authorities: there, own: [], adds: false }
  const own = recordOf(facts, wanted)
  const why = whyWritten(bundle, wanted, own, rotation.onlyWhenExpired)
  return { authorities, own, adds, ...(why !== undefined && { why }) }
}

/** The record that goes with the bundle, the newest last. */
function recordOf(facts: RotationFacts, wanted: ReadonlyMap<string, Authority>): string[] {
  const known = [...ownAuthorities(facts)]
  const left = known.filter((each) => !wanted.has(each))
  const kept = known.filter((each) => wanted.has(each))
  return [...left.slice(-mostLeft), ...kept]
}

/** Nodes that hold an older one have been away for years. */
const mostLeft = 32

function whyWritten(
  bundle: BundleFacts | undefined,
  wanted: ReadonlyMap<string, Authority>,
  own: readonly string[],
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
  const isRecorded = bundle.own !== undefined && own.every((each) => bundle.own?.includes(each))
  return isRecorded && !isUndressed(bundle.dress, certificateTypes.bundle)
    ? undefined
    : 'label or annotation missing'
}
