import { pools as builtIn } from '../../api/names.ts'
import { nodeSettingsReasons } from '../../api/reasons.ts'
import type { MachineConfigPool } from '../../api/kinds/resources.ts'
import { InvalidInput } from '@machinist/core/errors'
import { configsOwnedBy } from '../generated/caches.ts'
import type { Maker } from '../../fleet/render/maker.ts'
import type { SharedCache } from '../render/caches.ts'
import type { NodeSettingsFacts, PoolContext } from './facts.ts'
import { inheritsFromWorkers, poolSettings, selectionOf } from './pool-settings.ts'
import type { NodeSettings, PoolSettings, SettingsKind } from './settings-kind.ts'
import type { TemplateCaches } from './templates.ts'
import { baseOf } from './templates.ts'

/** The caches of this controller besides the objects; other controllers may share the informers. */
export interface NodeSettingsCaches extends TemplateCaches {
  readonly pools: SharedCache<MachineConfigPool>
}

export interface NodeSettingsGatherOptions {
  readonly caches: NodeSettingsCaches
  readonly maker: Maker
}

/** Gathers the facts of an object from the caches; `objects` are all of its kind. */
export function gatherNodeSettings<T extends NodeSettings, Context>(
  object: Readonly<T>,
  objects: readonly Readonly<T>[],
  kind: SettingsKind<T, Context>,
  { caches, maker }: NodeSettingsGatherOptions,
): NodeSettingsFacts<T, Context> {
  const pools = caches.pools.list().map(poolSettings)
  const selection = selectionOf(object, pools)
  const selected = 'pools' in selection ? selection.pools : []
  const workers = pools.filter(({ name }) => name === builtIn.worker)
  const needed = [...selected, ...(selected.some(inheritsFromWorkers) ? workers : [])]
  return {
    object,
    objects,
    pools,
    contexts: new Map(
      needed.map((pool) => [pool.name, poolContext(pool, kind, { caches, maker })]),
    ),
    stored: (name) => caches.machineConfigs.get(name),
    made: configsOwnedBy(object, caches.machineConfigs),
    maker,
  }
}

function poolContext<T extends NodeSettings, Context>(
  pool: PoolSettings,
  kind: SettingsKind<T, Context>,
  options: NodeSettingsGatherOptions,
): PoolContext<Context> {
  const found = baseOf(pool, kind.base(pool.role), options)
  if ('waitsFor' in found) return found
  try {
    return { context: kind.context(pool, found.base) }
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    return { problem: { reason: nodeSettingsReasons.noBase, message: error.message } }
  }
}
