import { keyText } from '@machinist/core/resource'
import { renewalOf } from '@machinist/pki/renewal'
import { annotatedEnd } from './dress.ts'
import type { Authority, RotationFacts } from './facts.ts'
import { currentIn, leafIn, previousIn } from './facts.ts'

export type SignerStep =
  /** All is well until then. */
  | { readonly do: 'nothing'; readonly at: number }
  | {
      readonly do: 'renew'
      readonly why: string
      readonly name: string
      /** The pair that is kept as the previous one: what is used meanwhile is signed by it. */
      readonly keep: 'current' | 'previous' | 'none'
    }
  | { readonly do: 'swap'; readonly why: string }

/** Whether the CA that signs is to be another one. */
export function signerStep(facts: RotationFacts): SignerStep {
  if (isRotatedBack(facts)) return { do: 'swap', why: 'rotated back by a person' }
  const renewal = renewalDue(facts)
  if ('at' in renewal) return { do: 'nothing', at: renewal.at }
  return { do: 'renew', why: renewal.why, name: newName(facts), keep: kept(facts) }
}

/** A CA that can be used now. */
export function isUsableCA(authority: Authority | undefined, now: number): authority is Authority {
  return authority !== undefined && !('why' in renewalOf(authority, now, { onlyWhenExpired: true }))
}

function renewalDue(facts: RotationFacts): { why: string } | { at: number } {
  const { signer, rotation, now } = facts
  if (!signer) return { why: "secret doesn't exist" }
  const annotated = annotatedEnd(signer.dress, now)
  if ('why' in annotated) return annotated
  const { refreshMs } = rotation.signer
  const onlyWhenExpired = rotation.onlyWhenExpired || isGoingBack(facts)
  const renewal = renewalOf(signer.current, now, { refreshMs, onlyWhenExpired })
  return 'why' in renewal ? renewal : { at: Math.min(annotated.at, renewal.at) }
}

/** The request names the CA that shall go, so that it is fulfilled once, however often it is seen. */
function isRotatedBack(facts: RotationFacts): boolean {
  const { signer, now } = facts
  const current = currentIn(facts)
  return (
    current !== undefined &&
    signer?.rotateBack === current.fingerprint &&
    isUsableCA(previousIn(facts), now)
  )
}

/** Its age is why there was a younger one. Another one now, and its key would be lost before it has signed anything again. */
function isGoingBack(facts: RotationFacts): boolean {
  const [current, previous] = [currentIn(facts), previousIn(facts)]
  if (!current || !previous || previous.notBefore <= current.notBefore) return false
  return hasSigned(previous, facts)
}

function kept(facts: RotationFacts): 'current' | 'previous' | 'none' {
  const { now } = facts
  const current = currentIn(facts)
  // One that is not valid yet stays, too: it may be our own clock that is wrong, and its key is gone for good.
  const isOver = (authority: Authority | undefined): boolean =>
    authority === undefined || now > authority.notAfter
  if (current && hasSigned(current, facts) && !isOver(current)) return 'current'
  return isOver(previousIn(facts)) ? 'none' : 'previous'
}

function hasSigned({ fingerprint }: Authority, { targets }: RotationFacts): boolean {
  return targets.some((target) => leafIn(target)?.signedBy?.fingerprint === fingerprint)
}

/** Two CAs with one name could not be told apart by those who look for who signed. */
function newName(facts: RotationFacts): string {
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
