import type { ConditionReport } from '../../api/conditions.ts'
import { trustDelivered } from '../../api/conditions.ts'
import type { TrustItem } from '../../api/trust/items.ts'
import { timestamp } from '@machinist/core/timestamp'
import { notReadyText } from '@machinist/kube/nodes/node-facts'
import type { Laggard } from './tally.ts'

export interface LedgerFacts {
  /** Whether the ControllerConfig has trust digests. */
  readonly hasDigests: boolean
  /** The number of managed nodes. */
  readonly nodes: number
  /** Trust items that some nodes lack. */
  readonly lacking: readonly {
    readonly item: TrustItem
    readonly behind: number
    readonly failed: number
    /** Some of these nodes, the longest lagging first. */
    readonly named: readonly Laggard[]
  }[]
}

/** How many nodes a message names. */
export const mostNamed = 5

const reasons = {
  digestsMissing: 'DigestsMissing',
  nodesFailed: 'NodesFailed',
  nodesLag: 'NodesLag',
  delivered: 'Delivered',
} as const

/** Pure: the condition of the ControllerConfig. Messages have no ages, so that time alone causes no write. */
export function decideCondition({ hasDigests, nodes, lacking }: LedgerFacts): ConditionReport {
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

function lackingText(
  { item, behind, named }: LedgerFacts['lacking'][number],
  nodes: number,
): string {
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
