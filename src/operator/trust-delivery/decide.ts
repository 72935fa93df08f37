import type { Condition } from '@machinist/core/objects/resource'
import { timestamp } from '@machinist/core/timestamp'
import type { PendingReport } from '@machinist/kube/controller/write-pacer'
import { notReadyText } from '@machinist/kube/nodes/node-facts'
import type { ConditionReport } from '../../api/conditions.ts'
import { trustDelivered } from '../../api/conditions.ts'
import type { LackingItem, TrustDeliveryFacts } from './facts.ts'
import type { Laggard } from './tally.ts'

/** How many nodes a message names. */
export const mostNamed = 5

const reasons = {
  digestsMissing: 'DigestsMissing',
  nodesFailed: 'NodesFailed',
  nodesLag: 'NodesLag',
  delivered: 'Delivered',
} as const

export interface TrustDeliveryPlan {
  /** Undefined without a ControllerConfig. */
  readonly condition?: ConditionReport
  /** How the condition differs from the current one. */
  readonly pending: PendingReport
  readonly isLagging: boolean
}

/** Pure: the condition of the ControllerConfig. */
export function decide(facts: TrustDeliveryFacts): TrustDeliveryPlan {
  const isLagging = facts.lacking.length > 0
  if (!facts.isConfigured) return { pending: 'none', isLagging }
  const condition = conditionFor(facts)
  return { condition, pending: pendingReport(condition, facts.condition), isLagging }
}

function pendingReport(report: ConditionReport, current: Condition | undefined): PendingReport {
  if (current?.status !== report.status) return 'transition'
  const isSame =
    (current.reason ?? '') === (report.reason ?? '') &&
    (current.message ?? '') === (report.message ?? '')
  return isSame ? 'none' : 'more'
}

/** Messages have no ages, so that time alone causes no write. */
function conditionFor({ hasDigests, nodes, lacking }: TrustDeliveryFacts): ConditionReport {
  const type = trustDelivered
  if (!hasDigests) {
    return {
      type,
      status: 'Unknown',
      reason: reasons.digestsMissing,
      message:
        'the ControllerConfig has no trust digests yet; if this persists, check the trust controller of the operator',
    }
  }
  if (lacking.length > 0) {
    const hasFailed = lacking.some(({ failed }) => failed > 0)
    return {
      type,
      status: 'False',
      reason: hasFailed ? reasons.nodesFailed : reasons.nodesLag,
      message: lacking.map((each) => lackingText(each, nodes)).join('; '),
    }
  }
  const message = 'every node has the desired version of every trust item'
  return { type, status: 'True', reason: reasons.delivered, message }
}

function lackingText({ item, behind, named }: LackingItem, nodes: number): string {
  const shown = named.slice(0, mostNamed).map(laggardText)
  const more = behind - shown.length
  const who = more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ')
  const verb = behind === 1 ? 'does' : 'do'
  return `${behind} of ${nodes} nodes ${verb} not have ${item} yet: ${who}`
}

/** The most likely cause: a NotReady node does not update its report. */
function laggardText({ node, state, since, notReadySince, why }: Laggard): string {
  if (notReadySince !== undefined) {
    return `${node} (${notReadyText(notReadySince)})`
  }
  const from = `since ${timestamp(since)}`
  if (state === 'Unknown') return `${node} (not reported, ${from})`
  const reason = why === undefined ? '' : `: ${shortened(why)}`
  if (state === 'Failed') return `${node} (failed ${from}${reason})`
  return `${node} (${from}${reason})`
}

const longest = 160

const shortened = (text: string): string =>
  text.length <= longest ? text : `${text.slice(0, longest - 1)}…`
