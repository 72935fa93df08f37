import { certificateTypes } from '../../api/labels.ts'
import { isUndressed } from './dress.ts'
import type { Authority, LeafFacts, RotationFacts } from './facts.ts'
import { currentIn, leafIn, previousIn } from './facts.ts'
import { holds, opensAt } from './gate.ts'
import type { Target } from '../../fleet/rotation/rotation-spec.ts'
import { isUsableCA } from './signer-renewal.ts'
import type { Need, TargetQuestion } from './target-need.ts'
import { needOf } from './target-need.ts'

export type TargetStep =
  | { readonly do: 'nothing'; readonly at?: number }
  /** Its labels or annotations are put back, without a new key. */
  | { readonly do: 'dress'; readonly at?: number }
  | { readonly do: 'wait'; readonly why: string; readonly at?: number }
  | { readonly do: 'issue'; readonly by: 'current' | 'previous'; readonly why: string }

/** Whether a target gets a new certificate, and who signs it. */
export function targetStep(question: TargetQuestion): TargetStep {
  const { facts, target, found } = question
  const need = needOf(question)
  if ('why' in need) return issueOrWait(question, need)
  const hostnames = target.hostnames.all.join(',')
  const isBare = found !== undefined && isUndressed(found.dress, certificateTypes.target, hostnames)
  return { do: isBare && !facts.rotation.onlyWhenExpired ? 'dress' : 'nothing', at: need.at }
}

function issueOrWait({ facts, target, found, gate }: TargetQuestion, need: Need): TargetStep {
  const opens = timedOpening(facts, target)
  const leaf = leafIn(found)
  const by = signerOf(facts, gate.isOpen && opens <= facts.now, need, leaf)
  if (by === undefined) {
    const why = [need.why, ...gate.waitsFor].join('; ')
    return { do: 'wait', why, ...(opens > facts.now && { at: opens }) }
  }
  const signer = by === 'current' ? currentIn(facts)! : previousIn(facts)!
  if (need.is === 'due' && leaf && !outlives(signer, target, leaf, facts.now)) {
    // It would end with who signs it, and so does the one that is there.
    const why = `${need.why}, but a new one would end no later: so does who signs it`
    return { do: 'wait', why, at: leaf.notAfter + 1 }
  }
  return { do: 'issue', by, why: need.why }
}

type Signer = 'current' | 'previous'

/**
 * A CA that every node is known to trust; else the CA of the leaf in use, because a node that does not trust that one is no
 * worse off; else, only for a leaf that is of no use, the CA that the fewest nodes lack. Which of the two is `previous` proves
 * nothing: after a rotation back it is the younger one. Never a CA that the bundle lacks.
 */
function signerOf(
  facts: RotationFacts,
  isOpen: boolean,
  need: Need,
  leaf: LeafFacts | undefined,
): Signer | undefined {
  const authorities = { current: currentIn(facts), previous: previousIn(facts) }
  const canSign = (by: Signer): boolean =>
    isUsableCA(authorities[by], facts.now) && holds(facts.bundle, authorities[by])
  if (isOpen && canSign('current')) return 'current'
  if (isTrustedByAll(facts.previousNodes) && canSign('previous')) return 'previous'
  const ranked = leastLackedFirst(facts)
  const inUse = leaf?.signedBy?.fingerprint
  const again = ranked.find((by) => canSign(by) && authorities[by]?.fingerprint === inUse)
  if (again) return again
  const usable = candidates(facts, need, ranked).filter((by) =>
    isUsableCA(authorities[by], facts.now),
  )
  // A CA that the bundle is about to get is waited for, unless the bundle cannot be written.
  const [best] = facts.bundle?.problem === undefined ? usable : usable.filter(canSign)
  return best && canSign(best) ? best : undefined
}

/** A leaf that works waits until a CA is known to all nodes. Where no node reports, an older previous CA is. */
function candidates(
  { nodes }: RotationFacts,
  need: Need,
  ranked: readonly Signer[],
): readonly Signer[] {
  if (need.is === 'broken') return ranked
  return nodes ? [] : ranked.slice(0, 1).filter((by) => by === 'previous')
}

/** The older one first where nodes do not make a difference: it had more time to become known. */
function leastLackedFirst(facts: RotationFacts): readonly Signer[] {
  const [current, previous] = [currentIn(facts), previousIn(facts)]
  const more = (facts.nodes?.lacking ?? 0) - (facts.previousNodes?.lacking ?? 0)
  const younger = (current?.notBefore ?? 0) - (previous?.notBefore ?? 0)
  const isPreviousFirst = more === 0 || !facts.previousNodes ? younger >= 0 : more > 0
  return isPreviousFirst ? ['previous', 'current'] : ['current', 'previous']
}

const isTrustedByAll = (nodes: RotationFacts['previousNodes']): boolean =>
  nodes !== undefined && nodes.lacking === 0 && nodes.settling === 0

/** Where no node tells anything, the new CA gets its time. */
function timedOpening(facts: RotationFacts, target: Target): number {
  const current = currentIn(facts)
  return current && facts.rotation.trustedBy === undefined ? opensAt(current, target) : 0
}

function outlives(
  signer: Authority,
  { validityMs }: Target,
  { notAfter }: LeafFacts,
  now: number,
): boolean {
  return Math.min(now + validityMs, signer.notAfter) > notAfter
}
