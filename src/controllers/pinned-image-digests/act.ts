import type { StepContext } from '@machinist/kube/controller/step-controller'
import { ignoreNotFound } from '@machinist/kube/failure'
import { mergePatch } from '@machinist/kube/patch'
import { ownControllerConfigAnnotations } from '../../api/annotations.ts'
import { controllerConfigs } from '../../api/kinds/resources.ts'
import type { PinnedImageDigestsPlan } from './decide.ts'
import type { PinnedImageDigestsFacts } from './facts.ts'

/** One patch of the annotation, or none. */
export async function act(
  plan: PinnedImageDigestsPlan | undefined,
  { config }: PinnedImageDigestsFacts,
  { client, log, signal }: StepContext,
): Promise<void> {
  if (!plan) return
  const { digests } = plan
  const annotations = { [ownControllerConfigAnnotations.pinnedImages]: digests ?? null }
  const { name } = config.metadata
  const patch = mergePatch({ metadata: { annotations } })
  await ignoreNotFound(client.patch(controllerConfigs, { name }, patch, { signal }))
  log.info('published digests of pinned images', { digests: digests ?? 'none' })
}
