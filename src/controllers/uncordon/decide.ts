import { DecisionChain } from '@machinist/kube/controller/decision-chain'
import { recordOf } from '../drain/record.ts'
import { isCordoned, pendingRequest } from '../drain/request.ts'
import type { UncordonFacts } from './facts.ts'

/** The next step, with the check that decided and its reason. */
export interface UncordonPlan extends CheckResult {
  readonly check: string
}

interface CheckResult {
  readonly why: string
  readonly next: UncordonAction
}

export type UncordonAction =
  | { readonly action: 'nothing' }
  | { readonly action: 'fail'; readonly failure: unknown }
  | { readonly action: 'uncordon' }
  | { readonly action: 'acknowledge'; readonly value: string; readonly cordonKept?: boolean }

const uncordonChain = DecisionChain.of<UncordonFacts, CheckResult>(
  {
    'an uncordon is requested': ({ node }) =>
      pendingRequest(node)?.verb === 'uncordon'
        ? undefined
        : { why: 'no uncordon is requested', next: { action: 'nothing' } },

    'everything could be read': ({ readFailure: failure }) =>
      failure === undefined
        ? undefined
        : { why: 'the settings could not be read', next: { action: 'fail', failure } },

    'the node is cordoned': ({ node }) =>
      isCordoned(node)
        ? undefined
        : {
            why: 'the node is schedulable',
            next: { action: 'acknowledge', value: pendingRequest(node)!.value },
          },

    'the drain cordoned the node': ({ node, settings }) =>
      settings.keepCordoned && recordOf(node)?.cordonedBefore === true
        ? {
            why: 'the node was cordoned before its drain began, and its DrainPolicy sets keepCordoned',
            next: { action: 'acknowledge', value: pendingRequest(node)!.value, cordonKept: true },
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
export function decide(facts: UncordonFacts): UncordonPlan {
  const { check, result } = uncordonChain.evaluate(facts)!
  return { check, ...result }
}
