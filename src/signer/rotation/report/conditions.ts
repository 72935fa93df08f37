import { timestamp } from '@machinist/core/timestamp'
import type { ConditionReport } from '../../../api/conditions.ts'
import { rotationConditions } from '../../../api/conditions.ts'
import { rotationReasons } from '../../../api/reasons.ts'
import { hasEvidence } from '../../../fleet/rotation/rotation-spec.ts'
import type { CertificatePlan } from '../decide/plan-certificates.ts'
import { lackText } from '../decide/gate.ts'
import type { UserDataStanding } from '../decide/user-data.ts'
import {
  poolCount,
  userDataLackText,
  userDataStanding,
  userDataWaits,
} from '../decide/user-data.ts'
import type { LaggardFacts, NodesFacts, CertificateFacts } from '../facts/facts.ts'
import { currentIn } from '../facts/facts.ts'

/** The conditions by type; a condition without a report stays unchanged. */
export type RotationConditions = Readonly<Record<string, Omit<ConditionReport, 'type'> | undefined>>

const { trusted, progressing, degraded } = rotationConditions
const { asExpected, waitingForNodes, waitingForUserData, settling } = rotationReasons
const { issuing, retiring, badBundle, refused } = rotationReasons

/** `refusals`: the messages of rejected writes. */
export function conditionsOf(
  facts: CertificateFacts,
  plan: CertificatePlan,
  refusals: readonly string[],
): RotationConditions {
  return {
    [trusted]: trustedReport(facts),
    [progressing]: progressReport(facts, plan),
    [degraded]: degradedReport(plan, refusals),
  }
}

/** The conditions for a problem with the TrustRotation itself. */
export function problemConditions(reason: string, message: string): RotationConditions {
  return { [degraded]: { status: 'True', reason, message: message.slice(0, maxText) } }
}

const maxText = 4000

function trustedReport(facts: CertificateFacts): Report {
  const { nodes, rotation } = facts
  const byUserData = rotation.userData && userDataReport(facts)
  if (!nodes) {
    const message = 'nodes are not checked: spec.trustedBy is not set'
    return byUserData ?? { status: 'Unknown', reason: asExpected, message }
  }
  const byNodes = nodesReport(nodes)
  return byNodes.status === 'True' && byUserData ? byUserData : byNodes
}

function userDataReport(facts: CertificateFacts): Report {
  const current = currentIn(facts)
  const standing = standingOf(facts)
  const [waits = 'there is no CA'] = current ? userDataWaits(facts, current) : []
  if (!standing || standing.lacking.length > 0) {
    return { status: 'False', reason: waitingForUserData, message: waits }
  }
  if (standing.settlesAt !== undefined) return { status: 'False', reason: settling, message: waits }
  const message = 'the user data of every pool contains the current CA'
  return { status: 'True', reason: asExpected, message }
}

function standingOf(facts: CertificateFacts): UserDataStanding | undefined {
  const current = currentIn(facts)
  return current && userDataStanding(facts, current)
}

function nodesReport(nodes: NodesFacts): Report {
  const { total, lacking, excused } = nodes
  if (lacking > 0) {
    return { status: 'False', reason: waitingForNodes, message: lackingText(nodes) }
  }
  if (nodes.settling > 0) {
    const message = `${nodes.settling} of ${total} nodes have the current CA, and may still be loading it`
    return { status: 'False', reason: settling, message }
  }
  const message =
    excused > 0
      ? `every node trusts the current CA, except ${excused} that spec.override excuses`
      : 'every node trusts the current CA'
  return { status: 'True', reason: asExpected, message }
}

type Report = Omit<ConditionReport, 'type'>

function progressReport(facts: CertificateFacts, plan: CertificatePlan): Report {
  if (plan.phase === 'Completed') {
    const message = 'the current CA is the only one and has signed every certificate'
    return { status: 'False', reason: asExpected, message }
  }
  const { reason, message } =
    plan.phase === 'Completing' ? completing(facts, plan) : preparing(facts, plan)
  return { status: 'True', reason, message: message.slice(0, maxText) }
}

/** Progress until the current CA has signed every certificate. */
function preparing(
  facts: CertificateFacts,
  plan: CertificatePlan,
): { reason: string; message: string } {
  const { phase, gate, steps } = plan
  const lacks = phase === 'Preparing' ? lackReport(facts) : undefined
  if (lacks) return lacks
  const waits = [
    ...gate.waitsFor,
    ...steps.flatMap((step) => (step.action === 'wait' ? step.why : [])),
  ]
  const message = waits[0] ?? 'the current CA is signing certificates'
  return { reason: phase === 'Preparing' ? settling : issuing, message }
}

/** What lacks the current CA; undefined if nothing does. */
function lackReport(facts: CertificateFacts): { reason: string; message: string } | undefined {
  const { nodes } = facts
  if (nodes && nodes.lacking > 0) return { reason: waitingForNodes, message: lackingText(nodes) }
  const standing = standingOf(facts)
  return standing && standing.lacking.length > 0
    ? { reason: waitingForUserData, message: userDataLackText(standing) }
    : undefined
}

/** Progress until the last former CA is removed. */
function completing(
  facts: CertificateFacts,
  { retiring: former, gate }: CertificatePlan,
): { reason: string; message: string } {
  const { nodes, rotation } = facts
  const [needed] = former.flatMap(({ neededBy }) => neededBy)
  const lacks = lackReport(facts)
  if (needed !== undefined) {
    if (lacks) return { ...lacks, message: `the former CA stays: ${lacks.message}` }
    const isTimed = !hasEvidence(rotation) || rotation.targets.length === 0
    const reason = isTimed ? retiring : settling
    return { reason, message: `the former CA stays: ${needed}` }
  }
  if (lacks) return lacks
  const [awaited] = gate.waitsFor
  if (awaited !== undefined) return { reason: settling, message: awaited }
  const pools = standingOf(facts)?.holdingOld ?? []
  if (former.length === 0 && pools.length > 0) {
    const message = `the user data of ${poolCount(pools.length)} still contains a CA that was removed: ${pools.slice(0, maxNamed).join(', ')}`
    return { reason: retiring, message }
  }
  if (former.length > 0 || !nodes || nodes.holdingOld === 0) {
    return { reason: retiring, message: 'the former CA is being removed' }
  }
  const { holdingOld, total, holders } = nodes
  const message = `${holdingOld} of ${total} nodes still have a CA that is no longer published: ${named(holders, holdingOld)}`
  return { reason: retiring, message }
}

function degradedReport({ problems }: CertificatePlan, refusals: readonly string[]): Report {
  const [problem] = problems
  if (problem === undefined && refusals.length === 0) {
    return { status: 'False', reason: asExpected, message: '' }
  }
  const message = [...problems, ...refusals].join('; ').slice(0, maxText)
  return { status: 'True', reason: problem === undefined ? refused : badBundle, message }
}

const lackingText = (nodes: NodesFacts): string =>
  `${lackText(nodes)}: ${named(nodes.laggards, nodes.lacking)}`

const maxNamed = 5

function named(laggards: readonly LaggardFacts[], count: number): string {
  const shown = laggards.slice(0, maxNamed)
  const texts = shown.map(({ name, since, why }) => `${name} (since ${timestamp(since)}: ${why})`)
  const more = count - shown.length
  return more > 0 ? `${texts.join(', ')} and ${more} more` : texts.join(', ')
}
