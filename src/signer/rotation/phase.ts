import type { RotationPhase } from '../../api/kinds/trust-rotation.ts'
import type { RotationFacts } from './facts.ts'
import { currentIn, leafIn } from './facts.ts'
import type { Gate } from './gate.ts'
import { holds } from './gate.ts'
import { publishedAsOwn } from './own-authorities.ts'
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
  // An open gate says that the bundle has the current CA and that every node has reported it. A node that has not may hold
  // anything: it may have been off while a CA was removed. What cannot be read in a bundle does not tell what is to go.
  const isOver =
    gate.isOpen &&
    facts.bundle?.problem === undefined &&
    retiring.length === 0 &&
    !isPublished(facts, current) &&
    (nodes?.holdingOld ?? 0) === 0
  return isOver ? 'Completed' : 'Completing'
}

/** A CA that left the bundle is still where the bundle goes, and nobody else put it there. */
function isPublished(facts: RotationFacts, current: string): boolean {
  return publishedAsOwn(facts).some(
    (each) => each.fingerprint !== current && !holds(facts.bundle, each),
  )
}
