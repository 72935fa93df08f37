import { pools as builtIn } from '../../api/names.ts'
import type { MachineConfigSpec } from '../../api/kinds/machine-config.ts'
import type { MachineConfig, MachineConfigPool } from '../../api/kinds/resources.ts'
import { machineConfigPools } from '../../api/kinds/resources.ts'
import { generatedMachineConfig, isUnclaimed } from '../generated/machine-config.ts'
import type { Maker } from '../../fleet/render/maker.ts'
import { ownerReference } from '../../fleet/render/owner.ts'
import type { StoreOptions, StoreProblem } from '../generated/store.ts'
import { deleteConfigs, storeConfig } from '../generated/store.ts'
import type { PoolSettings } from '../node-settings/settings-kind.ts'
import type { SharedCache } from '../render/caches.ts'
import { selectsRole } from '../render/gather.ts'
import type { KubeletDefaults } from './decide.ts'
import { layersOf } from './decide.ts'
import { layerName } from './gather.ts'

export interface DefaultsActOptions extends StoreOptions {
  readonly caches: { readonly machineConfigs: SharedCache<MachineConfig> }
  readonly maker: Maker
}

const builtInPools: readonly string[] = Object.values(builtIn)
const layers = ['97', '98'] as const

export const isBuiltIn = (pool: string): boolean => builtInPools.includes(pool)

/**
 * Whether the pool selects the MachineConfigs of an existing built-in pool. A layer of its own would come after those in merge
 * order and override the KubeletConfigs of the built-in pool.
 */
export function isReachedByRole(
  { name, pool, role }: PoolSettings,
  pools: SharedCache<MachineConfigPool>,
): boolean {
  if (isBuiltIn(name) || !selectsRole(pool, role)) return false
  const rolePool = pools.get(role)
  return rolePool !== undefined && !rolePool.metadata.deletionTimestamp
}

/** Stores the layers of a pool, and removes empty ones. Returns the failed writes. */
export async function storeLayers(
  settings: PoolSettings,
  defaults: KubeletDefaults,
  options: DefaultsActOptions,
): Promise<StoreProblem[]> {
  const { name } = settings
  const { node, features } = layersOf(defaults, isBuiltIn(name))
  const desired = new Map<string, MachineConfigSpec | undefined>([
    [layerName('97', name), node],
    [layerName('98', name), features],
  ])
  const problems: StoreProblem[] = []
  for (const [layer, spec] of desired) {
    if (!spec) continue
    const owner = ownerReference(machineConfigPools, settings.pool, { isController: false })
    const machineConfig = generatedMachineConfig(
      { name: layer, role: name, spec, owner },
      options.maker,
    )
    const problem = await storeConfig(
      machineConfig,
      options.caches.machineConfigs.get(layer),
      options,
    )
    if (problem) problems.push(problem)
  }
  await deleteConfigs(
    generatedLayers(settings, options).filter(({ metadata }) => !desired.get(metadata.name)),
    options,
  )
  return problems
}

export async function removeLayers(
  settings: PoolSettings,
  options: DefaultsActOptions,
): Promise<void> {
  await deleteConfigs(generatedLayers(settings, options), options)
}

/** The stored layers of a pool, under current and old names. */
function generatedLayers(
  { name, pool }: PoolSettings,
  { caches }: DefaultsActOptions,
): Readonly<MachineConfig>[] {
  const uid = pool.metadata.uid ?? ''
  return layers
    .flatMap((digits) => [layerName(digits, name), `${digits}-${name}-${uid}-kubelet`])
    .flatMap((layer) => caches.machineConfigs.get(layer) ?? [])
    .filter(isUnclaimed)
}
