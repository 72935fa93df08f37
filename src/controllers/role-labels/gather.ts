import { distributionOf } from '../../api/distribution.ts'
import { names } from '../../api/names.ts'
import type { RoleLabelsFacts } from './facts.ts'
import { configNameOf } from './facts.ts'
import type { RoleLabelsCaches } from './inputs.ts'

/** Undefined if the node does not exist. */
export function gather(name: string, caches: RoleLabelsCaches): RoleLabelsFacts | undefined {
  const node = caches.nodes.get(name)
  if (!node) return undefined
  const config = configNameOf(node)
  const controllerConfig = caches.controllerConfigs.get(names.controllerConfig)
  return {
    node,
    pools: caches.pools.list(),
    config: config === undefined ? undefined : caches.machineConfigs.get(config),
    distribution: controllerConfig && distributionOf(controllerConfig),
  }
}
