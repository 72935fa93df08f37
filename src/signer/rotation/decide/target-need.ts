import { DecisionChain } from '@machinist/kube/controller/decision-chain'
import { isDamaged, renewalOf } from '@machinist/pki/renewal'
import { annotatedExpiry } from '../facts/certificate-metadata.ts'
import type { Authority, LeafFacts, CertificateFacts, TargetFacts } from '../facts/facts.ts'
import { currentIn } from '../facts/facts.ts'
import type { LeafTarget } from '../../../fleet/rotation/rotation-spec.ts'
import { hasEvidence } from '../../../fleet/rotation/rotation-spec.ts'
import type { Gate } from './gate.ts'

export interface TargetInput {
  readonly facts: CertificateFacts
  readonly target: LeafTarget
  readonly found: TargetFacts | undefined
  readonly gate: Gate
  /** The CAs of the desired bundle. */
  readonly trusted: readonly Authority[]
}

/** Why a target needs a new certificate. */
export interface TargetNeed {
  readonly why: string
  /** `broken`: the certificate is unusable. `due`: its refresh time has come. `requested`: it is valid, but must be replaced. */
  readonly type: 'broken' | 'due' | 'requested'
}

/** Why a target needs a new certificate now, or when it will. */
export function needOf(input: TargetInput): TargetNeed | { readonly at: number } {
  const { facts, found } = input
  if (!found) return { why: "secret doesn't exist", type: 'broken' }
  const { leaf } = found
  if (isDamaged(leaf)) return { why: leaf.problem, type: 'broken' }
  const chain = facts.rotation.onlyWhenExpired ? expiryChain : fullChain
  const decided = chain.evaluate({ ...input, found, leaf })
  return decided?.result ?? { at: dueAt(input, leaf, found) }
}

interface LeafInput extends TargetInput {
  readonly found: TargetFacts
  readonly leaf: LeafFacts
}

type LeafCheck = (input: LeafInput) => TargetNeed | undefined

const unusable: LeafCheck = ({ facts, leaf }) => {
  const renewal = renewalOf(leaf, facts.now, { onlyWhenExpired: true })
  return 'why' in renewal ? { why: renewal.why, type: 'broken' } : undefined
}

/** A bundle that cannot be parsed does not show which CAs it lacks. */
const unknownIssuer: LeafCheck = ({ facts: { bundle }, leaf, trusted }) => {
  const isReadable = bundle !== undefined && bundle.problem === undefined
  const isKnown = trusted.some(({ fingerprint }) => fingerprint === leaf.signedBy?.fingerprint)
  return isReadable && !isKnown ? { why: 'issuer not in ca bundle', type: 'broken' } : undefined
}

const annotated: LeafCheck = ({ facts, found }) => {
  const end = annotatedExpiry(found.metadata, facts.now)
  return 'why' in end ? { why: end.why, type: 'requested' } : undefined
}

const withoutIssuer: LeafCheck = ({ found }) =>
  found.metadata.issuer ? undefined : { why: 'missing issuer name', type: 'requested' }

const different: LeafCheck = ({ leaf }) =>
  leaf.differs === undefined ? undefined : { why: leaf.differs, type: 'requested' }

/** With evidence, a certificate of a former CA is replaced before its refresh time. */
const ofFormerCA: LeafCheck = ({ facts, leaf, gate }) => {
  const isAllowed = hasEvidence(facts.rotation) && gate.isOpen
  const current = currentIn(facts)
  return isAllowed && current && leaf.signedBy?.fingerprint !== current.fingerprint
    ? { why: 'signed by a former CA', type: 'requested' }
    : undefined
}

const aged: LeafCheck = ({ facts, leaf, target }) => {
  const renewal = renewalOf(leaf, facts.now, target)
  return 'why' in renewal ? { why: renewal.why, type: 'due' } : undefined
}

const because = ({ why }: TargetNeed): string => why
const fullChain = DecisionChain.of<LeafInput, TargetNeed>(
  { unusable, unknownIssuer, annotated, withoutIssuer, different, ofFormerCA, aged },
  because,
)
const expiryChain = DecisionChain.of<LeafInput, TargetNeed>({ unusable, annotated }, because)

function dueAt({ facts, target }: TargetInput, leaf: LeafFacts, { metadata }: TargetFacts): number {
  const { onlyWhenExpired } = facts.rotation
  const { refreshMs } = target
  const renewal = renewalOf(leaf, facts.now, { refreshMs, onlyWhenExpired })
  const end = annotatedExpiry(metadata, facts.now)
  return Math.min('at' in renewal ? renewal.at : Infinity, 'at' in end ? end.at : Infinity)
}
