import { pools as builtIn } from '../../api/names.ts'
import type { MachineConfigSpec } from '../../api/kinds/machine-config.ts'
import type { MachineConfig, MachineConfigPool } from '../../api/resources.ts'
import { machineConfigPools } from '../../api/resources.ts'
import { generatedMachineConfig, isUnclaimed } from '../generated/machine-config.ts'
import type { Maker } from '../../fleet/render/maker.ts'
import { ownerReference } from '../../fleet/render/owner.ts'
import type { StoreOptions, StoreProblem } from '../generated/store.ts'
import { removeAll, store } from '../generated/store.ts'
import type { PoolSettings } from '../node-settings/settings-kind.ts'
import type { Cache } from '../render/caches.ts'
import { selectsRole } from '../render/gather.ts'
import type { KubeletDefaults } from './decide.ts'
import { layersOf } from './decide.ts'
import { layerName } from './gather.ts'

export interface ActOptions extends StoreOptions {
  readonly caches: { readonly machineConfigs: Cache<MachineConfig> }
  readonly maker: Maker
}

const builtInPools: readonly string[] = Object.values(builtIn)
const layers = ['97', '98'] as const

export const isBuiltIn = (pool: string): boolean => builtInPools.includes(pool)

/**
 * Whether the MachineConfigs of a built-in pool reach it by its selector. One of its own would come after all of those and
 * take away again what KubeletConfigs of that pool say. Where there is no such pool, there are none.
 */
export function isReachedByRole(
  { name, pool, role }: PoolSettings,
  pools: Cache<MachineConfigPool>,
): boolean {
  if (isBuiltIn(name) || !selectsRole(pool, role)) return false
  const theirs = pools.get(role)
  return theirs !== undefined && !theirs.metadata.deletionTimestamp
}

/** Stores what a pool's layers come to, and removes those that say nothing. What could not be stored is answered. */
export async function keepLayers(
  settings: PoolSettings,
  defaults: KubeletDefaults,
  options: ActOptions,
): Promise<StoreProblem[]> {
  const { name } = settings
  const { node, features } = layersOf(defaults, isBuiltIn(name))
  const wanted = new Map<string, MachineConfigSpec | undefined>([
    [layerName('97', name), node],
    [layerName('98', name), features],
  ])
  const problems: StoreProblem[] = []
  for (const [layer, spec] of wanted) {
    if (!spec) continue
    const owner = ownerReference(machineConfigPools, settings.pool, { isController: false })
    const made = generatedMachineConfig({ name: layer, role: name, spec, owner }, options.maker)
    const problem = await store(made, options.caches.machineConfigs.get(layer), options)
    if (problem) problems.push(problem)
  }
  await removeAll(
    ours(settings, options).filter(({ metadata }) => !wanted.get(metadata.name)),
    options,
  )
  return problems
}

export async function removeLayers(settings: PoolSettings, options: ActOptions): Promise<void> {
  await removeAll(ours(settings, options), options)
}

/** Under names of today and of old releases. */
function ours({ name, pool }: PoolSettings, { caches }: ActOptions): Readonly<MachineConfig>[] {
  const uid = pool.metadata.uid ?? ''
  return layers
    .flatMap((digits) => [layerName(digits, name), `${digits}-${name}-${uid}-kubelet`])
    .flatMap((layer) => caches.machineConfigs.get(layer) ?? [])
    .filter(isUnclaimed)
}
