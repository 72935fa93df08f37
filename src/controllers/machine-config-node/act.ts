import { machineConfigNodes } from '../../api/resources.ts'
import { Waiting } from '../../base/errors.ts'
import type { KubeClient } from '../../kube/client.ts'
import { isAlreadyExists, isConflict, isNotFound } from '../../kube/failure.ts'
import { catchUpMs } from '../../kube/informer/catch-up.ts'
import { mergePatch } from '../../kube/patch.ts'
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
