import { certificateTypes } from '../../../api/labels.ts'
import { lacksMetadata } from '../facts/certificate-metadata.ts'
import type { Authority, LeafFacts, CertificateFacts } from '../facts/facts.ts'
import { currentIn, leafIn, previousIn } from '../facts/facts.ts'
import type { LeafTarget } from '../../../fleet/rotation/rotation-spec.ts'
import { hasEvidence } from '../../../fleet/rotation/rotation-spec.ts'
import { holds, opensAt } from './gate.ts'
import { isUsableCA } from './signer-renewal.ts'
import type { TargetNeed, TargetInput } from './target-need.ts'
import { needOf } from './target-need.ts'
import { poolsLacking } from './user-data.ts'

export type TargetStep =
  | { readonly action: 'nothing'; readonly at?: number }
  /** Restore labels and annotations without a new key. */
  | { readonly action: 'set-metadata'; readonly at?: number }
  | { readonly action: 'wait'; readonly why: string; readonly at?: number }
  | { readonly action: 'issue'; readonly by: 'current' | 'previous'; readonly why: string }

/** Whether a target gets a new certificate, and which CA signs it. */
export function targetStep(input: TargetInput): TargetStep {
  const { facts, target, found } = input
  const need = needOf(input)
  if ('why' in need) return issueOrWait(input, need)
  const hostnames = target.hostnames.all.join(',')
  const isIncomplete =
    found !== undefined && lacksMetadata(found.metadata, certificateTypes.target, hostnames)
  return {
    action: isIncomplete && !facts.rotation.onlyWhenExpired ? 'set-metadata' : 'nothing',
    at: need.at,
  }
}

function issueOrWait({ facts, target, found, gate }: TargetInput, need: TargetNeed): TargetStep {
  const opens = timedOpening(facts, target)
  const leaf = leafIn(found)
  const by = signerOf(facts, gate.isOpen && opens <= facts.now, need, leaf)
  if (by === undefined) {
    const why = [need.why, ...gate.waitsFor].join('; ')
    return { action: 'wait', why, ...(opens > facts.now && { at: opens }) }
  }
  const signer = by === 'current' ? currentIn(facts)! : previousIn(facts)!
  if (need.type === 'due' && leaf && !outlives(signer, target, leaf, facts.now)) {
    // A new certificate would expire with its CA, as the current one does.
    const why = `${need.why}, but a new certificate would not expire later, because its CA does not`
    return { action: 'wait', why, at: leaf.notAfter + 1 }
  }
  return { action: 'issue', by, why: need.why }
}

type Signer = 'current' | 'previous'

/**
 * A CA that every node is known to trust; otherwise the CA of the current leaf certificate, because a node that does not trust
 * it loses nothing; otherwise, only for an unusable leaf certificate, the CA that the fewest nodes lack. `previous` is not always
 * the older one: after a rotation back it is the younger one. Never a CA that the bundle lacks.
 */
function signerOf(
  facts: CertificateFacts,
  isOpen: boolean,
  need: TargetNeed,
  leaf: LeafFacts | undefined,
): Signer | undefined {
  const authorities = { current: currentIn(facts), previous: previousIn(facts) }
  const canSign = (by: Signer): boolean =>
    isUsableCA(authorities[by], facts.now) && holds(facts.bundle, authorities[by])
  if (isOpen && canSign('current')) return 'current'
  if (isTrustedByAll(facts, authorities.previous) && canSign('previous')) return 'previous'
  const ranked = leastLackedFirst(facts)
  const inUse = leaf?.signedBy?.fingerprint
  const again = ranked.find((by) => canSign(by) && authorities[by]?.fingerprint === inUse)
  if (again) return again
  const usable = candidates(facts, need, ranked).filter((by) =>
    isUsableCA(authorities[by], facts.now),
  )
  // Wait for a CA that is about to be added to the bundle, unless the bundle cannot be written.
  const [best] = facts.bundle?.problem === undefined ? usable : usable.filter(canSign)
  return best && canSign(best) ? best : undefined
}

/** A valid leaf certificate waits until a CA is trusted by all. Without evidence, an older previous CA counts as trusted. */
function candidates(
  { rotation }: CertificateFacts,
  need: TargetNeed,
  ranked: readonly Signer[],
): readonly Signer[] {
  if (need.type === 'broken') return ranked
  return hasEvidence(rotation) ? [] : ranked.slice(0, 1).filter((by) => by === 'previous')
}

/** The CA that fewer nodes and pools lack comes first; otherwise the older one, which had more time to be distributed. */
function leastLackedFirst(facts: CertificateFacts): readonly Signer[] {
  const [current, previous] = [currentIn(facts), previousIn(facts)]
  const { nodes, previousNodes } = facts
  const more =
    (previousNodes ? (nodes?.lacking ?? 0) - previousNodes.lacking : 0) +
    (previous ? poolsLacking(facts, current) - poolsLacking(facts, previous) : 0)
  const younger = (current?.notBefore ?? 0) - (previous?.notBefore ?? 0)
  const isPreviousFirst = more === 0 ? younger >= 0 : more > 0
  return isPreviousFirst ? ['previous', 'current'] : ['current', 'previous']
}

/** Whether the previous CA is known to be trusted by all nodes, and to be in the user data of all pools. */
function isTrustedByAll(facts: CertificateFacts, previous: Authority | undefined): boolean {
  const { previousNodes: nodes } = facts
  return nodes?.lacking === 0 && nodes.settling === 0 && poolsLacking(facts, previous) === 0
}

/** Without evidence, the new CA waits before it signs. */
function timedOpening(facts: CertificateFacts, target: LeafTarget): number {
  const current = currentIn(facts)
  return current && !hasEvidence(facts.rotation) ? opensAt(current, target) : 0
}

function outlives(
  signer: Authority,
  { validityMs }: LeafTarget,
  { notAfter }: LeafFacts,
  now: number,
): boolean {
  return Math.min(now + validityMs, signer.notAfter) > notAfter
}
