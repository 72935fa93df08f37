import { isDamaged } from '@machinist/pki/renewal'
import { certificateTypes } from '../../../api/labels.ts'
import type { RotationPhase } from '../../../api/kinds/trust-rotation.ts'
import { lacksMetadata } from '../facts/certificate-metadata.ts'
import type { Authority, CertificateFacts } from '../facts/facts.ts'
import { currentIn, previousIn } from '../facts/facts.ts'
import type { BundleStep } from './bundle.ts'
import { bundleStep } from './bundle.ts'
import type { Gate } from './gate.ts'
import { gateOf, holds } from './gate.ts'
import { phaseOf } from './phase.ts'
import { publishStep } from './publish.ts'
import type { RetiringAuthority } from './retiring.ts'
import { retirement } from './retiring.ts'
import type { SignerStep } from './signer-renewal.ts'
import { signerStep } from './signer-renewal.ts'
import type { TargetStep } from './target-renewal.ts'
import { targetStep } from './target-renewal.ts'
import { userDataStanding } from './user-data.ts'

/** One request to the API server. Each is safe on its own, because the following ones may never happen. */
export type RotationWrite =
  | (Exclude<SignerStep, { action: 'nothing' }> & { readonly type: 'signer' })
  | {
      readonly type: 'signer'
      readonly action: 'drop-previous' | 'set-metadata'
      readonly why: string
    }
  | ({ readonly type: 'bundle' } & Pick<BundleStep, 'authorities' | 'own'> & {
        readonly why: string
      })
  | {
      readonly type: 'published'
      readonly index: number
      readonly authorities: readonly Authority[]
    }
  | (Extract<TargetStep, { action: 'issue' }> & { readonly type: 'target'; readonly index: number })
  | { readonly type: 'target'; readonly action: 'set-metadata'; readonly index: number }

export interface CertificatePlan {
  /** In the order in which they are made. */
  readonly writes: readonly RotationWrite[]
  readonly phase: RotationPhase
  readonly gate: Gate
  readonly retiring: readonly RetiringAuthority[]
  /** One per target. */
  readonly steps: readonly TargetStep[]
  /** Problems that a user must fix. */
  readonly problems: readonly string[]
  /** When the next CA is due; undefined: now. */
  readonly nextRotation: number | undefined
  /** When something is due by time alone. */
  readonly at: number | undefined
}

/** Pure: the next writes, from the current state. */
export function planCertificates(facts: CertificateFacts): CertificatePlan {
  const { rotation, published, targets, now } = facts
  const signer = signerStep(facts)
  const gate = gateOf(facts)
  const { retiring, at: goesAt } = retirement(facts, gate)
  const bundle = bundleStep(facts, retiring)
  const places = published.map((each) => publishStep(facts, each))
  const trusted = bundle.authorities
  const steps = rotation.targets.map((target, i) =>
    targetStep({ facts, target, found: targets[i], gate, trusted }),
  )
  const writes: RotationWrite[] = []
  if (signer.action !== 'nothing') writes.push({ type: 'signer', ...signer })
  else writes.push(...signerUpkeep(facts, retiring))
  const { authorities, own, why } = bundle
  if (why !== undefined) writes.push({ type: 'bundle', authorities, own, why })
  for (const [index, place] of places.entries()) {
    if (place.isDue && !bundle.adds)
      writes.push({ type: 'published', index, authorities: place.authorities })
  }
  for (const [index, step] of steps.entries()) {
    if (step.action === 'issue') writes.push({ type: 'target', index, ...step })
    else if (step.action === 'set-metadata')
      writes.push({ type: 'target', index, action: 'set-metadata' })
  }
  const nextRotation = signer.action === 'nothing' ? signer.at : undefined
  const current = currentIn(facts)
  const times = [
    nextRotation,
    goesAt,
    facts.nodes?.settlesAt,
    current && userDataStanding(facts, current)?.settlesAt,
    ...steps.map((step) => ('at' in step ? step.at : undefined)),
    ...endings(facts),
  ].filter((time) => time !== undefined && time > now) as number[]
  return {
    writes,
    phase: phaseOf(facts, gate, retiring),
    gate,
    retiring,
    steps,
    problems: [bundle, ...places].flatMap(({ problem }) => problem ?? []),
    nextRotation,
    at: times.length > 0 ? Math.min(...times) : undefined,
  }
}

/** Writes of the signer's Secret without a new CA. */
function signerUpkeep(
  facts: CertificateFacts,
  retiring: readonly RetiringAuthority[],
): RotationWrite[] {
  const { signer, rotation } = facts
  if (!signer || rotation.onlyWhenExpired) return []
  if (signer.keepsPrevious && isPreviousOver(facts, retiring)) {
    return [
      { type: 'signer', action: 'drop-previous', why: 'nothing needs the previous CA any more' },
    ]
  }
  return lacksMetadata(signer.metadata, certificateTypes.signer)
    ? [{ type: 'signer', action: 'set-metadata', why: 'label or annotation missing' }]
    : []
}

/** The key of the previous CA is removed last: nodes that still trust it may need a certificate of it. */
function isPreviousOver(facts: CertificateFacts, retiring: readonly RetiringAuthority[]): boolean {
  const { bundle, now } = facts
  const previous = previousIn(facts)
  if (bundle?.problem !== undefined) return false
  // It is unusable, but a user may still repair it while a rotation is in progress.
  if (!previous) return retiring.length === 0
  if (now > previous.notAfter) return true
  const needed = retiring.find(({ authority }) => authority.fingerprint === previous.fingerprint)
  return !holds(bundle, previous) && (needed?.neededBy.length ?? 0) === 0
}

/** When CAs expire: they are removed from bundles then. */
function endings({ signer, bundle, published }: CertificateFacts): number[] {
  const own = signer ? [signer.current, ...(signer.previous ? [signer.previous] : [])] : []
  const bundles = [bundle, ...published.flatMap(({ inputs }) => inputs.map((each) => each.bundle))]
  const all = [...own, ...bundles.flatMap((each) => each?.authorities ?? [])]
  return all.flatMap((each) => (isDamaged(each) ? [] : [each.notAfter + 1]))
}
