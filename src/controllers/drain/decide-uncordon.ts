import { DecisionChain } from '@machinist/kube/controller/decision-chain'
import type { Node } from '@machinist/kube/kinds/core'
import type { DrainDecision, DrainFacts, DrainResult } from './facts.ts'
import { recordOf } from './record.ts'
import { isCordoned, pendingRequest } from './request.ts'

export type UncordonFacts = Pick<DrainFacts, 'node' | 'settings'>

const uncordonChain = DecisionChain.of<UncordonFacts, DrainResult>(
  {
    'the node exists': ({ node }) =>
      node ? undefined : { why: 'the node does not exist', next: { action: 'nothing' } },

    'an uncordon is requested': ({ node }) =>
      pendingRequest(node!)?.verb === 'uncordon'
        ? undefined
        : { why: 'no uncordon is requested', next: { action: 'nothing' } },

    'the node is cordoned': ({ node }) =>
      isCordoned(node!)
        ? undefined
        : {
            why: 'the node is schedulable',
            next: { action: 'acknowledge', value: pendingRequest(node!)!.value },
          },

    'the drain cordoned the node': ({ node, settings }) =>
      settings.keepCordoned && wasCordonedBefore(node!)
        ? {
            why: 'the node was cordoned before its drain began, and its DrainPolicy sets keepCordoned',
            next: {
              action: 'acknowledge',
              value: pendingRequest(node!)!.value,
              cordonKept: true,
            },
          }
        : undefined,

    'the node is uncordoned': () => ({
      why: 'the node is cordoned',
      next: { action: 'uncordon' },
    }),
  },
  ({ why }) => why,
)

/** Pure: the next step of a node's uncordon. */
export function decideUncordon(facts: UncordonFacts): DrainDecision {
  const { check, result } = uncordonChain.evaluate(facts)!
  return { check, ...result }
}

const wasCordonedBefore = (node: Readonly<Node>): boolean => recordOf(node)?.cordonedBefore === true
