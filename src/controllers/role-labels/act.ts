import { Waiting } from '@machinist/core/errors'
import type { StepContext } from '@machinist/kube/controller/step-controller'
import { isConflict, isNotFound } from '@machinist/kube/failure'
import { catchUpMs } from '@machinist/kube/informer/catch-up'
import { nodes } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { nodeAnnotations } from '../../api/annotations.ts'
import type { RoleLabelsPlan } from './decide.ts'
import type { RoleLabelsFacts } from './facts.ts'

/** One patch with the labels and the record that they were set, or none. */
export async function act(
  plan: RoleLabelsPlan | undefined,
  { node }: RoleLabelsFacts,
  { client, log, signal }: StepContext,
): Promise<void> {
  if (plan?.type !== 'label') return
  const { pool, labels } = plan
  const { name, resourceVersion } = node.metadata
  const annotations = { [nodeAnnotations.customPoolLabelsApplied]: '' }
  const change = mergePatch({ metadata: { resourceVersion, annotations, labels } })
  try {
    await client.patch(nodes, { name }, change, { signal })
  } catch (error) {
    if (isNotFound(error)) return
    if (!isConflict(error)) throw error
    throw new Waiting('NodeChanged', `node ${name} changed since it was read`, catchUpMs)
  }
  log.info('labelled new node', { pool, labels: Object.keys(labels).join() })
}
