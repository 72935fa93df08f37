import type { PinnedImageDigestsFacts } from './facts.ts'
import type { PinnedImageDigestsCaches } from './inputs.ts'

/** Undefined if the ControllerConfig does not exist. */
export function gather(
  name: string,
  { controllerConfigs, pools, pinnedImageSets }: PinnedImageDigestsCaches,
): PinnedImageDigestsFacts | undefined {
  const config = controllerConfigs.get(name)
  return config && { config, pools: pools.list(), sets: pinnedImageSets.list() }
}
