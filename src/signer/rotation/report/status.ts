import type { Condition } from '@machinist/core/objects/resource'
import { timestamp } from '@machinist/core/timestamp'
import { rotationConditions, setCondition } from '../../../api/conditions.ts'
import type { TrustRotation, TrustRotationStatus } from '../../../api/kinds/trust-rotation.ts'
import type { CertificatePlan } from '../decide/plan-certificates.ts'
import type { LeafFacts, CertificateFacts } from '../facts/facts.ts'
import { desiredAuthorities } from '../decide/desired-authorities.ts'
import type { UserDataStanding } from '../decide/user-data.ts'
import { userDataStanding } from '../decide/user-data.ts'
import { currentIn, leafIn } from '../facts/facts.ts'
import type { RotationConditions } from './conditions.ts'

/** The desired status. It contains no ages, so that it does not change with time alone. */
export function statusOf(
  { metadata, status: before }: Readonly<TrustRotation>,
  facts: CertificateFacts,
  plan: CertificatePlan,
  reports: RotationConditions,
): TrustRotationStatus {
  const { nodes, now } = facts
  const current = currentIn(facts)
  const desired = desiredAuthorities(facts)
  const userData = current && userDataStanding(facts, current)
  const isSamePhase = before?.phase === plan.phase && before.phaseSince !== undefined
  return {
    ...(metadata.generation !== undefined && { observedGeneration: metadata.generation }),
    phase: plan.phase,
    phaseSince: isSamePhase ? before.phaseSince! : timestamp(now),
    ...(current && {
      current: {
        fingerprint: current.fingerprint,
        subject: current.subject,
        notBefore: timestamp(current.notBefore),
        notAfter: timestamp(current.notAfter),
      },
    }),
    ...(plan.retiring.length > 0 && { retiring: retiringIn(plan) }),
    ...(desired && { desiredAuthorities: [...desired].slice(0, maxDesired).sort() }),
    ...(facts.targets.length > 0 && { targets: targetsIn(facts) }),
    ...(nodes && { nodes: nodesIn(nodes, plan) }),
    ...(userData && { userData: userDataIn(userData) }),
    ...(plan.nextRotation !== undefined && { nextRotation: timestamp(plan.nextRotation) }),
    conditions: conditionsIn(before, reports, now),
  }
}

/** The status for a problem: the last status stays, and the conditions report the problem. */
export function problemStatus(
  { metadata, status: before }: Readonly<TrustRotation>,
  reports: RotationConditions,
  now: number,
): TrustRotationStatus {
  return {
    ...before,
    ...(metadata.generation !== undefined && { observedGeneration: metadata.generation }),
    conditions: conditionsIn(before, reports, now),
  }
}

function conditionsIn(
  before: TrustRotationStatus | undefined,
  reports: RotationConditions,
  now: number,
): Condition[] {
  const known = before?.conditions as readonly Condition[] | undefined
  const types = [
    rotationConditions.trusted,
    rotationConditions.progressing,
    rotationConditions.degraded,
  ]
  const conditions = types.reduce((all, type) => {
    const report = reports[type]
    return report ? setCondition(all, { type, ...report }, timestamp(now)) : all
  }, known)
  return [...(conditions ?? [])]
}

const maxRetiring = 64
const maxDesired = 1000
const maxNeeds = 32
const maxLaggards = 20

const retiringIn = ({ retiring }: CertificatePlan): NonNullable<TrustRotationStatus['retiring']> =>
  retiring.slice(0, maxRetiring).map(({ authority, neededBy }) => ({
    fingerprint: authority.fingerprint,
    subject: authority.subject,
    notAfter: timestamp(authority.notAfter),
    neededBy: neededBy.slice(0, maxNeeds).map((each) => each.slice(0, 512)),
  }))

function targetsIn({ rotation, targets }: CertificateFacts): Issued[] {
  return rotation.targets.map((target, i) => {
    const place = { namespace: target.namespace!, name: target.name }
    const leaf = leafIn(targets[i])
    return leaf ? issuedIn(place, leaf) : place
  })
}

type Issued = NonNullable<TrustRotationStatus['targets']>[number]

const issuedIn = (place: Issued, { signedBy, serial, notBefore, notAfter }: LeafFacts): Issued => ({
  ...place,
  ...(signedBy && { signedBy: signedBy.fingerprint }),
  serial,
  notBefore: timestamp(notBefore),
  notAfter: timestamp(notAfter),
})

function userDataIn({
  total,
  lacking,
  settlesAt,
}: UserDataStanding): NonNullable<TrustRotationStatus['userData']> {
  return {
    total,
    trusting: total - lacking.length,
    ...(lacking.length > 0 && { laggards: lacking.slice(0, maxLaggards) }),
    ...(settlesAt !== undefined && { settlesAt: timestamp(settlesAt) }),
  }
}

function nodesIn(
  nodes: NonNullable<CertificateFacts['nodes']>,
  { retiring }: CertificatePlan,
): NonNullable<TrustRotationStatus['nodes']> {
  const { total, trusting, holdingOld, excused, laggards, holders } = nodes
  // While a former CA is in the bundle, nodes are expected to have it.
  const named = laggards.length > 0 || retiring.length > 0 ? laggards : holders
  return {
    total,
    trusting,
    holdingOld,
    excused,
    ...(named.length > 0 && {
      laggards: named.map(({ name, since, why }) => ({ name, since: timestamp(since), why })),
    }),
  }
}
