import { certificateTypes } from '../../api/labels.ts'
import { isUndressed } from './dress.ts'
import type { Authority, LeafFacts, RotationFacts } from './facts.ts'
import { currentIn, leafIn, previousIn } from './facts.ts'
import { holds, opensAt } from './gate.ts'
import type { Target } from './rotation-spec.ts'
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
  const by = signerOf(facts, gate.isOpen && opens <= facts.now, need)
  if (by === undefined) {
    const why = [need.why, ...gate.waitsFor].join('; ')
    return { do: 'wait', why, ...(opens > facts.now && { at: opens }) }
  }
  const leaf = leafIn(found)
  const signer = by === 'current' ? currentIn(facts)! : previousIn(facts)!
  if (need.is === 'due' && leaf && !outlives(signer, target, leaf, facts.now)) {
    // It would end with who signs it, and so does the one that is there.
    const why = `${need.why}, but a new one would end no later: so does who signs it`
    return { do: 'wait', why, at: leaf.notAfter + 1 }
  }
  return { do: 'issue', by, why: need.why }
}

/** Never one that the bundle does not have: nobody would know it. */
function signerOf(
  facts: RotationFacts,
  isOpen: boolean,
  need: Need,
): 'current' | 'previous' | undefined {
  const canSign = (by: Authority | undefined): boolean =>
    isUsableCA(by, facts.now) && holds(facts.bundle, by)
  const isCurrentAble = canSign(currentIn(facts))
  if (isOpen && isCurrentAble) return 'current'
  // Good for every node, also for those that are off for weeks: this is what it is kept for.
  const previous = previousIn(facts)
  if (canSign(previous)) return 'previous'
  const isOnItsWay = isUsableCA(previous, facts.now) && facts.bundle?.problem === undefined
  // Somebody may not know it yet, but everybody knows that what is there is no good.
  return need.is === 'broken' && isCurrentAble && !isOnItsWay ? 'current' : undefined
}

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
