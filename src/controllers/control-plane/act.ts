import { Waiting } from '@machinist/core/errors'
import type { StepContext } from '@machinist/kube/controller/step-controller'
import { isConflict, isNotFound } from '@machinist/kube/failure'
import { catchUpMs } from '@machinist/kube/informer/catch-up'
import { nodes } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import type { RoleChange } from './decide.ts'
import type { ControlPlaneFacts } from './facts.ts'

/** One patch, or none. */
export async function act(
  change: RoleChange | undefined,
  { node }: ControlPlaneFacts,
  { client, log, signal }: StepContext,
): Promise<void> {
  if (!change) return
  const { name } = node.metadata
  try {
    await client.patch(nodes, { name }, mergePatch(change), { signal })
  } catch (error) {
    if (isNotFound(error)) return
    if (!isConflict(error)) throw error
    throw new Waiting('NodeChanged', `node ${name} changed during the reconcile`, catchUpMs)
  }
  const { labels = {} } = change.metadata
  log.info('updated roles of control plane node', { labels: Object.keys(labels).join() })
}
