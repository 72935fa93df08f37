import { certificateTypes } from '../../api/labels.ts'
import type { RotationPhase } from '../../api/kinds/trust-rotation.ts'
import { isDamaged } from '@machinist/pki/renewal'
import type { BundleStep } from './bundle.ts'
import { bundleStep } from './bundle.ts'
import { isUndressed } from './dress.ts'
import type { Authority, RotationFacts } from './facts.ts'
import { previousIn } from './facts.ts'
import type { Gate } from './gate.ts'
import { gateOf, holds } from './gate.ts'
import { phaseOf } from './phase.ts'
import { publishStep } from './publish.ts'
import type { Retiring } from './retiring.ts'
import { retirement } from './retiring.ts'
import type { SignerStep } from './signer-renewal.ts'
import { signerStep } from './signer-renewal.ts'
import type { TargetStep } from './target-renewal.ts'
import { targetStep } from './target-renewal.ts'

/** One request to the API server. Each is safe by itself: whatever comes after it may never come. */
export type Write =
  | (Exclude<SignerStep, { do: 'nothing' }> & { readonly to: 'signer' })
  | { readonly to: 'signer'; readonly do: 'drop-previous' | 'dress'; readonly why: string }
  | ({ readonly to: 'bundle' } & Pick<BundleStep, 'authorities' | 'own'> & {
        readonly why: string
      })
  | { readonly to: 'published'; readonly index: number; readonly authorities: readonly Authority[] }
  | (Extract<TargetStep, { do: 'issue' }> & { readonly to: 'target'; readonly index: number })
  | { readonly to: 'target'; readonly do: 'dress'; readonly index: number }

export interface Plan {
  /** In this order. */
  readonly writes: readonly Write[]
  readonly phase: RotationPhase
  readonly gate: Gate
  readonly retiring: readonly Retiring[]
  /** Per target. */
  readonly steps: readonly TargetStep[]
  /** What a person has to mend. */
  readonly problems: readonly string[]
  /** When the signer is due; undefined: now. */
  readonly nextRotation: number | undefined
  /** When something falls due by time alone. */
  readonly at: number | undefined
}

/** Pure: what is to be done now, from what is there now. */
export function decide(facts: RotationFacts): Plan {
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
  const writes: Write[] = []
  if (signer.do !== 'nothing') writes.push({ to: 'signer', ...signer })
  else writes.push(...signerUpkeep(facts, retiring))
  const { authorities, own, why } = bundle
  if (why !== undefined) writes.push({ to: 'bundle', authorities, own, why })
  for (const [index, place] of places.entries()) {
    if (place.isDue && !bundle.adds)
      writes.push({ to: 'published', index, authorities: place.authorities })
  }
  for (const [index, step] of steps.entries()) {
    if (step.do === 'issue') writes.push({ to: 'target', index, ...step })
    else if (step.do === 'dress') writes.push({ to: 'target', index, do: 'dress' })
  }
  const nextRotation = signer.do === 'nothing' ? signer.at : undefined
  const times = [
    nextRotation,
    goesAt,
    facts.nodes?.settlesAt,
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

/** What is done to the signer's Secret without a new CA. */
function signerUpkeep(facts: RotationFacts, retiring: readonly Retiring[]): Write[] {
  const { signer, rotation } = facts
  if (!signer || rotation.onlyWhenExpired) return []
  if (signer.keepsPrevious && isPreviousOver(facts, retiring)) {
    return [{ to: 'signer', do: 'drop-previous', why: 'nothing needs the previous CA any more' }]
  }
  return isUndressed(signer.dress, certificateTypes.signer)
    ? [{ to: 'signer', do: 'dress', why: 'label or annotation missing' }]
    : []
}

/** Its key goes last: whoever still trusts it may need a certificate of it. */
function isPreviousOver(facts: RotationFacts, retiring: readonly Retiring[]): boolean {
  const { bundle, now } = facts
  const previous = previousIn(facts)
  if (bundle?.problem !== undefined) return false
  // Of no use to anybody as it is; but as long as there is something to do, a person may still mend it.
  if (!previous) return retiring.length === 0
  if (now > previous.notAfter) return true
  const needed = retiring.find(({ authority }) => authority.fingerprint === previous.fingerprint)
  return !holds(bundle, previous) && (needed?.neededBy.length ?? 0) === 0
}

/** CAs leave where they are when they end. */
function endings({ signer, bundle, published }: RotationFacts): number[] {
  const own = signer ? [signer.current, ...(signer.previous ? [signer.previous] : [])] : []
  const bundles = [bundle, ...published.flatMap(({ inputs }) => inputs.map((each) => each.bundle))]
  const all = [...own, ...bundles.flatMap((each) => each?.authorities ?? [])]
  return all.flatMap((each) => (isDamaged(each) ? [] : [each.notAfter + 1]))
}
