import { keyText } from '@machinist/core/objects/resource'
import { renewalOf } from '@machinist/pki/renewal'
import { annotatedExpiry } from '../facts/certificate-metadata.ts'
import type { Authority, CertificateFacts } from '../facts/facts.ts'
import { currentIn, leafIn, previousIn } from '../facts/facts.ts'

export type SignerStep =
  /** The CA is valid until then. */
  | { readonly action: 'nothing'; readonly at: number }
  | {
      readonly action: 'renew'
      readonly why: string
      readonly name: string
      /** The pair that becomes the previous one; it signs until the gate opens. */
      readonly keep: 'current' | 'previous' | 'none'
    }
  | { readonly action: 'swap'; readonly why: string }

/** Whether the signer needs another CA. */
export function signerStep(facts: CertificateFacts): SignerStep {
  if (isRotatedBack(facts)) return { action: 'swap', why: 'rotated back by a user' }
  const renewal = renewalDue(facts)
  if ('at' in renewal) return { action: 'nothing', at: renewal.at }
  return { action: 'renew', why: renewal.why, name: newName(facts), keep: kept(facts) }
}

/** Whether a CA is valid now. */
export function isUsableCA(authority: Authority | undefined, now: number): authority is Authority {
  return authority !== undefined && !('why' in renewalOf(authority, now, { onlyWhenExpired: true }))
}

function renewalDue(facts: CertificateFacts): { why: string } | { at: number } {
  const { signer, rotation, now } = facts
  if (!signer) return { why: "secret doesn't exist" }
  const annotated = annotatedExpiry(signer.metadata, now)
  if ('why' in annotated) return annotated
  const { refreshMs } = rotation.signer
  const onlyWhenExpired = rotation.onlyWhenExpired || isGoingBack(facts)
  const renewal = renewalOf(signer.current, now, { refreshMs, onlyWhenExpired })
  return 'why' in renewal ? renewal : { at: Math.min(annotated.at, renewal.at) }
}

/** The annotation names the CA to rotate back from, so that it takes effect once. */
function isRotatedBack(facts: CertificateFacts): boolean {
  const { signer, now } = facts
  const current = currentIn(facts)
  return (
    current !== undefined &&
    signer?.rotateBack === current.fingerprint &&
    isUsableCA(previousIn(facts), now)
  )
}

/** After a rotation back, age alone causes no new CA before the current one has signed again; its key would be lost. */
function isGoingBack(facts: CertificateFacts): boolean {
  const [current, previous] = [currentIn(facts), previousIn(facts)]
  if (!current || !previous || previous.notBefore <= current.notBefore) return false
  return hasSigned(previous, facts)
}

function kept(facts: CertificateFacts): 'current' | 'previous' | 'none' {
  const { now } = facts
  const current = currentIn(facts)
  // A CA that is not valid yet is kept, too: the signer's clock may be wrong, and a lost key cannot be restored.
  const isOver = (authority: Authority | undefined): boolean =>
    authority === undefined || now > authority.notAfter
  if (current && hasSigned(current, facts) && !isOver(current)) return 'current'
  return isOver(previousIn(facts)) ? 'none' : 'previous'
}

function hasSigned({ fingerprint }: Authority, { targets }: CertificateFacts): boolean {
  return targets.some((target) => leafIn(target)?.signedBy?.fingerprint === fingerprint)
}

/** A unique name: verifiers look up issuers by name. */
function newName(facts: CertificateFacts): string {
  const { rotation, bundle, targets, now } = facts
  const known = [
    currentIn(facts),
    previousIn(facts),
    ...(bundle?.authorities ?? []),
    ...targets.map((target) => leafIn(target)?.signedBy),
  ]
  const taken = new Set(known.map((each) => each?.commonName))
  const base = keyText(rotation.signer).replace('/', '_')
  let seconds = Math.floor(now / 1000)
  while (taken.has(`${base}@${seconds}`)) seconds += 1
  return `${base}@${seconds}`
}
