import type { ConditionReport } from '../../api/conditions.ts'
import { rotationConditions } from '../../api/conditions.ts'
import { rotationReasons } from '../../api/reasons.ts'
import { timestamp } from '@machinist/core/timestamp'
import type { Plan } from './decide.ts'
import { lackText } from './gate.ts'
import type { LaggardFacts, NodesFacts, RotationFacts } from './facts.ts'

/** What each condition says; what has no report stays as it is. */
export type RotationReports = Readonly<Record<string, Omit<ConditionReport, 'type'> | undefined>>

const { trusted, progressing, degraded } = rotationConditions
const { asExpected, waitingForNodes, settling, issuing, retiring, badBundle, refused } =
  rotationReasons

/** `refusals`: what the API server did not want. */
export function reportsOf(
  facts: RotationFacts,
  plan: Plan,
  refusals: readonly string[],
): RotationReports {
  return {
    [trusted]: trustedReport(facts),
    [progressing]: progressReport(facts, plan),
    [degraded]: degradedReport(plan, refusals),
  }
}

/** Something is wrong with the TrustRotation itself. */
export function troubleReports(reason: string, message: string): RotationReports {
  return { [degraded]: { status: 'True', reason, message: message.slice(0, mostText) } }
}

const mostText = 4000

function trustedReport({ nodes }: RotationFacts): Report {
  if (!nodes) {
    const message = 'no node is asked: spec.trustedBy does not say by which item they would tell'
    return { status: 'Unknown', reason: asExpected, message }
  }
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
      ? `every node trusts the current CA, but for ${excused} that spec.override excuses`
      : 'every node trusts the current CA'
  return { status: 'True', reason: asExpected, message }
}

type Report = Omit<ConditionReport, 'type'>

function progressReport(facts: RotationFacts, plan: Plan): Report {
  if (plan.phase === 'Completed') {
    const message = 'there is one CA, and it signed everything'
    return { status: 'False', reason: asExpected, message }
  }
  const { reason, message } =
    plan.phase === 'Completing' ? completing(facts, plan) : preparing(facts, plan)
  return { status: 'True', reason, message: message.slice(0, mostText) }
}

/** Until the last certificate is signed by the current CA. */
function preparing({ nodes }: RotationFacts, plan: Plan): { reason: string; message: string } {
  const { phase, gate, steps } = plan
  if (phase === 'Preparing' && nodes && nodes.lacking > 0) {
    return { reason: waitingForNodes, message: lackingText(nodes) }
  }
  const waits = [...gate.waitsFor, ...steps.flatMap((step) => (step.do === 'wait' ? step.why : []))]
  const message = waits[0] ?? 'certificates are being signed by the current CA'
  return { reason: phase === 'Preparing' ? settling : issuing, message }
}

/** Until the last former CA is gone. */
function completing(
  { nodes, rotation }: RotationFacts,
  { retiring: former, gate }: Plan,
): { reason: string; message: string } {
  const [needed] = former.flatMap(({ neededBy }) => neededBy)
  if (needed !== undefined) {
    if (nodes && nodes.lacking > 0) {
      return { reason: waitingForNodes, message: `the former CA stays: ${lackingText(nodes)}` }
    }
    const isTimed = rotation.trustedBy === undefined || rotation.targets.length === 0
    const reason = isTimed ? retiring : settling
    return { reason, message: `the former CA stays: ${needed}` }
  }
  if (nodes && nodes.lacking > 0) return { reason: waitingForNodes, message: lackingText(nodes) }
  const [awaited] = gate.waitsFor
  if (awaited !== undefined) return { reason: settling, message: awaited }
  if (former.length > 0 || !nodes || nodes.holdingOld === 0) {
    return { reason: retiring, message: 'the former CA is being taken away' }
  }
  const { holdingOld, total, holders } = nodes
  const message = `${holdingOld} of ${total} nodes still hold a CA that is no longer published: ${named(holders, holdingOld)}`
  return { reason: retiring, message }
}

function degradedReport({ problems }: Plan, refusals: readonly string[]): Report {
  const [problem] = problems
  if (problem === undefined && refusals.length === 0) {
    return { status: 'False', reason: asExpected, message: '' }
  }
  const message = [...problems, ...refusals].join('; ').slice(0, mostText)
  return { status: 'True', reason: problem === undefined ? refused : badBundle, message }
}

const lackingText = (nodes: NodesFacts): string =>
  `${lackText(nodes)}: ${named(nodes.laggards, nodes.lacking)}`

const mostNamed = 5

function named(laggards: readonly LaggardFacts[], count: number): string {
  const shown = laggards.slice(0, mostNamed)
  const texts = shown.map(({ name, since, why }) => `${name} (since ${timestamp(since)}: ${why})`)
  const more = count - shown.length
  return more > 0 ? `${texts.join(', ')} and ${more} more` : texts.join(', ')
}
