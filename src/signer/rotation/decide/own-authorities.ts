import type { ObjectKey } from '@machinist/core/objects/resource'
import { signerFamily } from '../../../api/trust/signer-family.ts'
import type { Authority, CertificateFacts } from '../facts/facts.ts'
import { currentIn, leafIn, previousIn } from '../facts/facts.ts'

/**
 * Fingerprints of the current and former CAs of this signer: those that it recorded on its bundle, and those in its Secret. The
 * signer does not own other CAs in the bundle. In a bundle without a record, which another tool or an older release wrote, names
 * decide once. If the bundle was deleted, all CAs that it had count as this signer's.
 */
export function ownAuthorities(facts: CertificateFacts): ReadonlySet<string> {
  const inSecret = [currentIn(facts), previousIn(facts)].flatMap((each) => each?.fingerprint ?? [])
  return new Set([...recorded(facts), ...inSecret])
}

function recorded(facts: CertificateFacts): readonly string[] {
  const { rotation, bundle } = facts
  const there = bundle?.authorities ?? []
  if (bundle?.own && there.length > 0) return bundle.own
  const found =
    there.length > 0
      ? there.filter(({ commonName }) => isOfFamily(commonName, rotation.signer))
      : lostFromBundle(facts)
  return found.map(({ fingerprint }) => fingerprint)
}

/** Fingerprints of this signer's CAs that were removed from the bundle and are in no other input. */
export function formerAuthorities({
  bundle,
  published,
}: Pick<CertificateFacts, 'bundle' | 'published'>): ReadonlySet<string> {
  const inputs = published.flatMap((place) => place.inputs.map((input) => input.bundle))
  const there = [bundle, ...inputs].flatMap((each) => each?.authorities ?? [])
  const stays = new Set(there.map(({ fingerprint }) => fingerprint))
  return new Set((bundle?.own ?? []).filter((each) => !stays.has(each)))
}

/** The CAs of a lost bundle, as far as they are known: clients may still present a certificate that was replaced. */
export function lostFromBundle(facts: CertificateFacts): Authority[] {
  const inUse = facts.targets.flatMap((target) => leafIn(target)?.signedBy ?? [])
  return [...inUse, ...publishedAsOwn(facts)]
}

/** The published CAs without those of other inputs. */
export function publishedAsOwn({ published }: Pick<CertificateFacts, 'published'>): Authority[] {
  return published.flatMap(({ found, inputs }) => {
    const others = new Set(
      inputs.flatMap(({ bundle }) => bundle.authorities.map(({ fingerprint }) => fingerprint)),
    )
    return (found?.authorities ?? []).filter(({ fingerprint }) => !others.has(fingerprint))
  })
}

/**
 * Whether a CA with this name was created for this signer. A name with another namespace was not: two signers may have the same
 * name.
 */
function isOfFamily(commonName: string, { namespace, name }: ObjectKey): boolean {
  if (signerFamily(commonName) !== name) return false
  const madeIn = /^([a-z0-9-]+)_.+@\d+$/.exec(commonName)?.[1]
  return madeIn === undefined || madeIn === namespace
}
