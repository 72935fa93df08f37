import { signerFamily } from '../../api/trust/signer-family.ts'
import type { ObjectKey } from '@machinist/core/resource'
import type { Authority, RotationFacts } from './facts.ts'
import { currentIn, leafIn, previousIn } from './facts.ts'

/**
 * Fingerprints of the CAs that are, or were, this signer's: those that it recorded on its bundle, and those in its Secret. All
 * others in the bundle are somebody else's. A bundle without a record, which another tool or an older release made, is judged by
 * names once. Where the bundle is gone, all that it had is taken for this signer's.
 */
export function ownAuthorities(facts: RotationFacts): ReadonlySet<string> {
  const inSecret = [currentIn(facts), previousIn(facts)].flatMap((each) => each?.fingerprint ?? [])
  return new Set([...recorded(facts), ...inSecret])
}

function recorded(facts: RotationFacts): readonly string[] {
  const { rotation, bundle } = facts
  const there = bundle?.authorities ?? []
  if (bundle?.own && there.length > 0) return bundle.own
  const found =
    there.length > 0
      ? there.filter(({ commonName }) => isOfFamily(commonName, rotation.signer))
      : lostFromBundle(facts)
  return found.map(({ fingerprint }) => fingerprint)
}

/** Fingerprints of this signer's CAs that left the bundle, and that nobody else gives beside it. */
export function formerAuthorities({
  bundle,
  published,
}: Pick<RotationFacts, 'bundle' | 'published'>): ReadonlySet<string> {
  const inputs = published.flatMap((place) => place.inputs.map((input) => input.bundle))
  const there = [bundle, ...inputs].flatMap((each) => each?.authorities ?? [])
  const stays = new Set(there.map(({ fingerprint }) => fingerprint))
  return new Set((bundle?.own ?? []).filter((each) => !stays.has(each)))
}

/** What a bundle had before it was lost, as far as it can be known: callers may still show a certificate that was replaced. */
export function lostFromBundle(facts: RotationFacts): Authority[] {
  const inUse = facts.targets.flatMap((target) => leafIn(target)?.signedBy ?? [])
  return [...inUse, ...publishedAsOwn(facts)]
}

/** What is where the bundle goes, but for what others give there. */
export function publishedAsOwn({ published }: Pick<RotationFacts, 'published'>): Authority[] {
  return published.flatMap(({ found, inputs }) => {
    const others = new Set(
      inputs.flatMap(({ bundle }) => bundle.authorities.map(({ fingerprint }) => fingerprint)),
    )
    return (found?.authorities ?? []).filter(({ fingerprint }) => !others.has(fingerprint))
  })
}

/**
 * Whether a CA of this name was made for this signer. One whose name tells of another namespace was not: two signers may
 * have the same name.
 */
function isOfFamily(commonName: string, { namespace, name }: ObjectKey): boolean {
  if (signerFamily(commonName) !== name) return false
  const madeIn = /^([a-z0-9-]+)_.+@\d+$/.exec(commonName)?.[1]
  return madeIn === undefined || madeIn === namespace
}
