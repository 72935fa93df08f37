import { rotationConditions, setCondition } from '../../api/conditions.ts'
import type { TrustRotation, TrustRotationStatus } from '../../api/kinds/trust-rotation.ts'
import type { Condition } from '@machinist/core/resource'
import { timestamp } from '@machinist/core/timestamp'
import type { Plan } from './decide.ts'
import type { LeafFacts, RotationFacts } from './facts.ts'
import { desiredAuthorities } from './desired-authorities.ts'
import { currentIn, leafIn } from './facts.ts'
import type { RotationReports } from './reports.ts'

/** What the status is to say. Nothing in it grows older, so that time alone changes nothing. */
export function statusOf(
  { metadata, status: before }: Readonly<TrustRotation>,
  facts: RotationFacts,
  plan: Plan,
  reports: RotationReports,
): TrustRotationStatus {
  const { nodes, now } = facts
  const current = currentIn(facts)
  const desired = desiredAuthorities(facts)
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
    ...(desired && { desiredAuthorities: [...desired].slice(0, mostDesired).sort() }),
    ...(facts.targets.length > 0 && { targets: targetsIn(facts) }),
    ...(nodes && { nodes: nodesIn(nodes, plan) }),
    ...(plan.nextRotation !== undefined && { nextRotation: timestamp(plan.nextRotation) }),
    conditions: conditionsIn(before, reports, now),
  }
}

/** Where nothing could be decided, what was told before stays, and the conditions tell why. */
export function troubledStatus(
  { metadata, status: before }: Readonly<TrustRotation>,
  reports: RotationReports,
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
  reports: RotationReports,
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

const mostRetiring = 64
const mostDesired = 1000
const mostNeeds = 32

const retiringIn = ({ retiring }: Plan): NonNullable<TrustRotationStatus['retiring']> =>
  retiring.slice(0, mostRetiring).map(({ authority, neededBy }) => ({
    fingerprint: authority.fingerprint,
    subject: authority.subject,
    notAfter: timestamp(authority.notAfter),
    neededBy: neededBy.slice(0, mostNeeds).map((each) => each.slice(0, 512)),
  }))

function targetsIn({ rotation, targets }: RotationFacts): Issued[] {
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

function nodesIn(
  nodes: NonNullable<RotationFacts['nodes']>,
  { retiring }: Plan,
): NonNullable<TrustRotationStatus['nodes']> {
  const { total, trusting, holdingOld, excused, laggards, holders } = nodes
  // As long as a former CA is in the bundle, nobody is to let go of it.
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
