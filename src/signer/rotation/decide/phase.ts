import type { RotationPhase } from '../../../api/kinds/trust-rotation.ts'
import type { Authority, CertificateFacts } from '../facts/facts.ts'
import { currentIn, leafIn } from '../facts/facts.ts'
import type { Gate } from './gate.ts'
import { holds } from './gate.ts'
import { publishedAsOwn } from './own-authorities.ts'
import type { RetiringAuthority } from './retiring.ts'
import { userDataStanding } from './user-data.ts'

/** The phase, derived from the current state and never from a record, so that a rotation can be interrupted anywhere. */
export function phaseOf(
  facts: CertificateFacts,
  gate: Gate,
  retiring: readonly RetiringAuthority[],
): RotationPhase {
  const { targets } = facts
  const authority = currentIn(facts)
  if (authority === undefined) return 'Preparing'
  const current = authority.fingerprint
  const isDone = targets.map((target) => leafIn(target)?.signedBy?.fingerprint === current)
  if (!isDone.every(Boolean)) {
    if (!gate.isOpen) return 'Preparing'
    return isDone.some(Boolean) ? 'Issuing' : 'Prepared'
  }
  // With an open gate, the bundle has the current CA and every node has reported it. A node that has not reported may have any
  // CA: it may have been off while one was removed. A bundle that cannot be parsed does not show which CAs must be removed.
  const isOver =
    gate.isOpen &&
    facts.bundle?.problem === undefined &&
    retiring.length === 0 &&
    !isPublished(facts, current) &&
    !isHeld(facts, authority)
  return isOver ? 'Completed' : 'Completing'
}

/** Whether a node or user data still has a CA that was removed from the bundle. */
function isHeld(facts: CertificateFacts, current: Authority): boolean {
  const pools = userDataStanding(facts, current)?.holdingOld ?? []
  return (facts.nodes?.holdingOld ?? 0) > 0 || pools.length > 0
}

/** Whether a CA that was removed from the bundle is still published, and is in no other input. */
function isPublished(facts: CertificateFacts, current: string): boolean {
  return publishedAsOwn(facts).some(
    (each) => each.fingerprint !== current && !holds(facts.bundle, each),
  )
}
