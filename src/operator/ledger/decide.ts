import type { ConditionReport } from '../../api/conditions.ts'
import { trustDelivered } from '../../api/conditions.ts'
import type { TrustItem } from '../../api/trust/items.ts'
import { timestamp } from '@machinist/core/timestamp'
import { notReadyText } from '@machinist/kube/node-facts'
import type { Laggard } from './tally.ts'

export interface LedgerFacts {
  /** Whether the ControllerConfig says what nodes shall hold. */
  readonly isTold: boolean
  /** All that should hold it. */
  readonly nodes: number
  /** Items that some nodes lack. */
  readonly lacking: readonly {
    readonly item: TrustItem
    readonly behind: number
    readonly failed: number
    /** The first of them, those who lack it longest first. */
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

/** Pure: what the condition of the ControllerConfig says. No text grows older, so that time alone changes nothing. */
export function decide({ isTold, nodes, lacking }: LedgerFacts): ConditionReport {
  const type = trustDelivered
  if (!isTold) {
    return {
      type,
      status: 'Unknown',
      reason: reasons.digestsMissing,
      message: 'the ControllerConfig does not say what nodes shall hold',
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
  const message = 'every node holds what the cluster gives it to trust'
  return { type, status: 'True', reason: reasons.delivered, message }
}

function lackingText(
  { item, behind, named }: LedgerFacts['lacking'][number],
  nodes: number,
): string {
  const shown = named.slice(0, mostNamed).map(laggardText)
  const more = behind - shown.length
  const who = more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ')
  return `${behind} of ${nodes} nodes ${behind === 1 ? 'does' : 'do'} not hold ${item} yet: ${who}`
}

/** The likeliest reason: a node that is off says nothing, whatever it said last. */
function laggardText({ node, holding, since, notReadySince, why }: Laggard): string {
  if (notReadySince !== undefined) {
    return `${node} (${notReadyText(notReadySince)})`
  }
  const from = `since ${timestamp(since)}`
  if (holding === 'Unknown') return `${node} (has told nothing about it, ${from})`
  const reason = why === undefined ? '' : `: ${shortened(why)}`
  if (holding === 'Failed') return `${node} (failed ${from}${reason})`
  return `${node} (${from}${reason})`
}

const longest = 160

const shortened = (text: string): string =>
  text.length <= longest ? text : `${text.slice(0, longest - 1)}…`
