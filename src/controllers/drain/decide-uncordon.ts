import type { Node } from '@machinist/kube/kinds/core'
import type { Decision, Facts } from './facts.ts'
import { recordOf } from './record.ts'
import { isCordoned, pendingRequest } from './request.ts'

/** Pure: what the next step of a node's uncordon is. */
export function decideUncordon({ node, settings }: Pick<Facts, 'node' | 'settings'>): Decision {
  if (!node) return nothing('node exists', 'there is no such node')
  const request = pendingRequest(node)
  if (request?.verb !== 'uncordon') {
    return nothing('an uncordon is asked for', 'no uncordon is asked for')
  }
  const { value } = request
  if (!isCordoned(node)) {
    return {
      policy: 'uncordon is acknowledged',
      why: 'the node takes pods',
      next: { do: 'acknowledge', value },
    }
  }
  if (settings.keepCordoned && wasCordonedBefore(node)) {
    return {
      policy: 'cordon is ours',
      why: 'the node had been cordoned before its drain began, and its DrainPolicy keeps it so',
      next: { do: 'acknowledge', value, cordonKept: true },
    }
  }
  return { policy: 'node takes pods', why: 'the node is cordoned', next: { do: 'uncordon' } }
}

/** Seen when the drain began. */
const wasCordonedBefore = (node: Readonly<Node>): boolean => recordOf(node)?.cordonedBefore === true

const nothing = (policy: string, why: string): Decision => ({
  policy,
  why,
  next: { do: 'nothing' },
})
