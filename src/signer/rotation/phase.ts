import type { RotationPhase } from '../../api/kinds/trust-rotation.ts'
import type { RotationFacts } from './facts.ts'
import { currentIn, leafIn } from './facts.ts'
import { isOfFamily } from './family.ts'
import type { Gate } from './gate.ts'
import type { Retiring } from './retiring.ts'

/** How far it is, from what is there, never from what was noted: so it can be interrupted anywhere. */
export function phaseOf(
  facts: RotationFacts,
  gate: Gate,
  retiring: readonly Retiring[],
): RotationPhase {
  const { targets, nodes } = facts
  const current = currentIn(facts)?.fingerprint
  if (current === undefined) return 'Preparing'
  const isDone = targets.map((target) => leafIn(target)?.signedBy?.fingerprint === current)
  if (!isDone.every(Boolean)) {
    if (!gate.isOpen) return 'Preparing'
    return isDone.some(Boolean) ? 'Issuing' : 'Prepared'
  }
  const isOver =
    retiring.length === 0 && !isPublished(facts, current) && (nodes?.holdingOld ?? 0) === 0
  return isOver ? 'Completed' : 'Completing'
}

/** A former CA is still where the bundle goes, and nobody else put it there. */
function isPublished({ published, rotation }: RotationFacts, current: string): boolean {
  return published.some(({ found, inputs }) => {
    const others = new Set(
      inputs.flatMap(({ bundle }) => bundle.authorities.map(({ fingerprint }) => fingerprint)),
    )
    return (found?.authorities ?? []).some(
      (each) =>
        each.fingerprint !== current &&
        isOfFamily(each.commonName, rotation.signer) &&
        !others.has(each.fingerprint),
    )
  })
}
