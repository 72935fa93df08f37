import { Transient } from '@machinist/core/errors'
import type { StepContext } from '@machinist/kube/controller/step-controller'
import { describeRefusal, isRefused } from '@machinist/kube/failure'
import type { ControllerConfig } from '../../api/kinds/resources.ts'
import { writeControllerConfig } from '../inputs/write-controller-config.ts'
import type { ClusterFactsPlan } from './decide.ts'
import type { ClusterFacts } from './facts.ts'

/** Returns the current ControllerConfig, if there is one. */
export async function act(
  plan: ClusterFactsPlan,
  { stored }: ClusterFacts,
  { client, signal }: Pick<StepContext, 'client' | 'signal'>,
): Promise<Readonly<ControllerConfig> | undefined> {
  if (plan.type === 'wait') return stored
  try {
    return await writeControllerConfig(client, stored, plan.change, signal)
  } catch (error) {
    if (!isRefused(error)) throw error
    // The message of the server may quote the sent object.
    throw new Transient('Refused', describeRefusal('ControllerConfig', error))
  }
}
