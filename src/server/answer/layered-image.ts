import { annotations } from '../../api/annotations.ts'
import type { MachineConfig, MachineConfigPool } from '../../api/kinds/resources.ts'
import { buildFor, imageState } from '../../fleet/rollout/layering.ts'
import { isProven } from './choose-config.ts'
import type { ImageFacts } from './state.ts'

/**
 * The layered OS image for new machines of a pool; undefined for the image of the config. In doubt a machine gets the latter and
 * changes its image after it has joined: an image that it cannot pull would strand it.
 */
export function layeredImage(
  pool: Readonly<MachineConfigPool>,
  config: Readonly<MachineConfig>,
  facts: ImageFacts,
): string | undefined {
  const preBuilt = config.metadata.annotations?.[annotations.preBuiltImage]
  if (preBuilt) return preBuilt
  if (!isProven(pool)) return undefined
  const { osConfigs, osBuilds } = facts
  const osConfig = osConfigs.find(({ spec }) => spec.machineConfigPool.name === pool.metadata.name)
  const state = imageState(osConfig, osConfig && buildFor(osConfig, config.metadata.name, osBuilds))
  if (state.type !== 'built') return undefined
  return isInternal(state.image, facts.internalRegistries) ? undefined : state.image
}

/** Whether only joined machines can pull the image: the cluster DNS resolves the names of Services, and Routes need its router. */
function isInternal(image: string, registries: readonly string[]): boolean {
  const host = image.split('/', 1)[0]!
  const name = host.split(':', 1)[0]!
  return registries.includes(host) || registries.includes(name) || /\.svc(?:\.|$)/.test(name)
}
