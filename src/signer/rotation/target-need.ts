import { isDamaged, renewalOf } from '@machinist/pki/renewal'
import { annotatedEnd } from './dress.ts'
import type { Authority, LeafFacts, RotationFacts, TargetFacts } from './facts.ts'
import { currentIn } from './facts.ts'
import type { Gate } from './gate.ts'
import type { Target } from '../../fleet/rotation/rotation-spec.ts'

export interface TargetQuestion {
  readonly facts: RotationFacts
  readonly target: Target
  readonly found: TargetFacts | undefined
  readonly gate: Gate
  /** What the bundle is to hold. */
  readonly trusted: readonly Authority[]
}

/** Why a certificate must be another one. */
export interface Need {
  readonly why: string
  /** `broken`: it is of no use to anybody. `due`: it ages. `asked`: it is good, but somebody wants another one. */
  readonly is: 'broken' | 'due' | 'asked'
}

/** Why a target needs a new certificate now, or when it will. The first rule with something to say decides. */
export function needOf(question: TargetQuestion): Need | { readonly at: number } {
  const { facts, found } = question
  if (!found) return { why: "secret doesn't exist", is: 'broken' }
  const { leaf } = found
  if (isDamaged(leaf)) return { why: leaf.problem, is: 'broken' }
  const rules = facts.rotation.onlyWhenExpired ? [unusable, annotated] : allRules
  for (const rule of rules) {
    const need = rule({ ...question, found, leaf })
    if (need) return need
  }
  return { at: dueAt(question, leaf, found) }
}

interface Case extends TargetQuestion {
  readonly found: TargetFacts
  readonly leaf: LeafFacts
}

type Rule = (given: Case) => Need | undefined

const unusable: Rule = ({ facts, leaf }) => {
  const renewal = renewalOf(leaf, facts.now, { onlyWhenExpired: true })
  return 'why' in renewal ? { why: renewal.why, is: 'broken' } : undefined
}

/** A bundle with something unreadable in it does not tell who is not in it. */
const unknownIssuer: Rule = ({ facts: { bundle }, leaf, trusted }) => {
  const isTelling = bundle !== undefined && bundle.problem === undefined
  const isKnown = trusted.some(({ fingerprint }) => fingerprint === leaf.signedBy?.fingerprint)
  return isTelling && !isKnown ? { why: 'issuer not in ca bundle', is: 'broken' } : undefined
}

const annotated: Rule = ({ facts, found }) => {
  const end = annotatedEnd(found.dress, facts.now)
  return 'why' in end ? { why: end.why, is: 'asked' } : undefined
}

const withoutIssuer: Rule = ({ found }) =>
  found.dress.issuer ? undefined : { why: 'missing issuer name', is: 'asked' }

const different: Rule = ({ leaf }) =>
  leaf.differs === undefined ? undefined : { why: leaf.differs, is: 'asked' }

/** Where nodes tell what they trust nobody has to wait for it to age. */
const ofFormerCA: Rule = ({ facts, leaf, gate }) => {
  const isAsked = facts.rotation.trustedBy !== undefined && gate.isOpen
  const current = currentIn(facts)
  return isAsked && current && leaf.signedBy?.fingerprint !== current.fingerprint
    ? { why: 'signed by a former CA', is: 'asked' }
    : undefined
}

const aged: Rule = ({ facts, leaf, target }) => {
  const renewal = renewalOf(leaf, facts.now, target)
  return 'why' in renewal ? { why: renewal.why, is: 'due' } : undefined
}

const allRules = [
  unusable,
  unknownIssuer,
  annotated,
  withoutIssuer,
  different,
  ofFormerCA,
  aged,
] as const

function dueAt({ facts, target }: TargetQuestion, leaf: LeafFacts, { dress }: TargetFacts): number {
  const { onlyWhenExpired } = facts.rotation
  const { refreshMs } = target
  const renewal = renewalOf(leaf, facts.now, { refreshMs, onlyWhenExpired })
  const end = annotatedEnd(dress, facts.now)
  return Math.min('at' in renewal ? renewal.at : Infinity, 'at' in end ? end.at : Infinity)
}
