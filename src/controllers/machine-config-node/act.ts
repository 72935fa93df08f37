import { Waiting } from '@machinist/core/errors'
import type { StepContext } from '@machinist/kube/controller/step-controller'
import { isAlreadyExists, isConflict, isNotFound } from '@machinist/kube/failure'
import { catchUpMs } from '@machinist/kube/informer/catch-up'
import { mergePatch } from '@machinist/kube/patch'
import { machineConfigNodes } from '../../api/kinds/resources.ts'
import type { MachineConfigNodePlan } from './decide.ts'
import type { MachineConfigNodeFacts } from './facts.ts'

/** Ignores that another writer was faster: the cache update triggers another reconcile. */
export async function act(
  plan: MachineConfigNodePlan,
  { name }: MachineConfigNodeFacts,
  { client, log, signal }: StepContext,
): Promise<void> {
  if (plan.action === 'nothing') return
  log.debug('write MachineConfigNode', { action: plan.action, why: plan.because })
  try {
    if (plan.action === 'create') await client.create(machineConfigNodes, plan.object, { signal })
    if (plan.action === 'change') {
      await client.patch(machineConfigNodes, { name }, mergePatch(plan.change), { signal })
    }
    if (plan.action === 'remove') {
      const { uid } = plan.found.metadata
      await client.remove(machineConfigNodes, { name }, { ...(uid && { uid }), signal })
    }
  } catch (error) {
    if (plan.action === 'create' && isAlreadyExists(error)) return
    if (plan.action !== 'create' && isNotFound(error)) return
    if (!isConflict(error)) throw error
    throw new Waiting(
      'Changed',
      `MachineConfigNode ${name} changed during the reconcile`,
      catchUpMs,
    )
  }
}
