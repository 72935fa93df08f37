import type { StepContext } from '@machinist/kube/controller/step-controller'
import { isConflict, isNotFound } from '@machinist/kube/failure'
import type { Node } from '@machinist/kube/kinds/core'
import { nodes } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { requestMs } from './timing.ts'

export interface NodeChange {
  readonly annotations?: Readonly<Record<string, string | null>>
  readonly spec?: { readonly unschedulable: boolean }
}

/**
 * Guarded by the resourceVersion of the decision: if the node has changed since, nothing is written and the result is false.
 */
export async function patchNode(
  { metadata: { name, resourceVersion, uid } }: Readonly<Node>,
  { annotations, spec }: NodeChange,
  { client, signal }: Pick<StepContext, 'client' | 'signal'>,
): Promise<boolean> {
  const metadata = { resourceVersion, uid, ...(annotations && { annotations }) }
  const patch = mergePatch({ metadata, ...(spec && { spec }) })
  try {
    await client.patch(nodes, { name }, patch, { signal, timeoutMs: requestMs })
    return true
  } catch (error) {
    if (isConflict(error) || isNotFound(error)) return false
    throw error
  }
}
