import type { StepContext } from '@machinist/kube/controller/step-controller'
import { describeRefusal, ignoreNotFound, isRefused } from '@machinist/kube/failure'
import { mergePatch } from '@machinist/kube/patch'
import { machineConfigPools } from '../../api/kinds/resources.ts'
import type { PinnedImagesPlan } from './decide.ts'
import type { PinnedImagesFacts } from './facts.ts'

export interface PinnedImagesResult {
  /** Why the API server rejects the list: a user must act. */
  readonly refusal?: string
}

/** Writes the list of the pool. */
export async function act(
  { list }: PinnedImagesPlan,
  { pool }: PinnedImagesFacts,
  { client, log, signal }: StepContext,
): Promise<PinnedImagesResult> {
  if (list === undefined) return {}
  log.info('set pinnedImageSets of pool', { sets: (list ?? []).map((set) => set.name).join() })
  const { name } = pool.metadata
  const patch = mergePatch({ spec: { pinnedImageSets: list } })
  try {
    await ignoreNotFound(client.patch(machineConfigPools, { name }, patch, { signal }))
    return {}
  } catch (error) {
    if (!isRefused(error)) throw error
    return { refusal: describeRefusal('the list of its PinnedImageSets', error) }
  }
}
