import type { StepContext } from '@machinist/kube/controller/step-controller'
import { nodeAnnotations, ownNodeAnnotations } from '../../api/annotations.ts'
import { patchNode } from '../drain/patch-node.ts'
import type { UncordonPlan } from './decide.ts'
import type { UncordonFacts } from './facts.ts'

export interface UncordonResult {
  /** The daemon continues. */
  readonly acknowledged: boolean
}

/** One patch of the node, or none. A node that changed since it was read is left to the next reconcile. */
export async function act(
  { next }: UncordonPlan,
  { node }: UncordonFacts,
  context: Pick<StepContext, 'client' | 'log' | 'signal'>,
): Promise<UncordonResult> {
  const { log } = context
  const { name } = node.metadata
  switch (next.action) {
    case 'fail':
      throw next.failure
    case 'uncordon': {
      const isWritten = await patchNode(node, { spec: { unschedulable: false } }, context)
      if (isWritten) log.info('uncordoned node', { node: name })
      return { acknowledged: false }
    }
    case 'acknowledge': {
      const acknowledged = await patchNode(node, { annotations: endOfDrain(next.value) }, context)
      if (acknowledged) log.info('acknowledged uncordon', { node: name, request: next.value })
      return { acknowledged }
    }
    case 'nothing':
      return { acknowledged: false }
  }
}

/** Acknowledges the request and removes the record of the drain. */
const endOfDrain = (value: string): Record<string, string | null> => ({
  [nodeAnnotations.lastAppliedDrain]: value,
  [ownNodeAnnotations.drain]: null,
})
