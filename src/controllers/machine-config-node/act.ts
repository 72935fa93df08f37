import { machineConfigNodes } from '../../api/resources.ts'
import { Waiting } from '@machinist/core/errors'
import type { KubeClient } from '@machinist/kube/client'
import { isAlreadyExists, isConflict, isNotFound } from '@machinist/kube/failure'
import { catchUpMs } from '@machinist/kube/informer/catch-up'
import { mergePatch } from '@machinist/kube/patch'
import type { Plan } from './decide.ts'

/** Done by somebody else in between is done as well: the cache will tell, and we are called again. */
export async function act(
  client: KubeClient,
  name: string,
  plan: Plan,
  signal: AbortSignal,
): Promise<void> {
  try {
    if (plan.type === 'create') await client.create(machineConfigNodes, plan.object, { signal })
    if (plan.type === 'change') {
      await client.patch(machineConfigNodes, { name }, mergePatch(plan.change), { signal })
    }
    if (plan.type === 'remove') {
      const { uid } = plan.found.metadata
      await client.remove(machineConfigNodes, { name }, { ...(uid && { uid }), signal })
    }
  } catch (error) {
    if (plan.type === 'create' && isAlreadyExists(error)) return
    if (plan.type !== 'create' && isNotFound(error)) return
    if (!isConflict(error)) throw error
    throw new Waiting(
      'Changed',
      `the MachineConfigNode of ${name} was changed in between`,
      catchUpMs,
    )
  }
}
