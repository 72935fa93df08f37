import { pools as builtIn } from '../../api/names.ts'
import { nodeSettingsReasons } from '../../api/reasons.ts'
import type { MachineConfigPool } from '../../api/resources.ts'
import { InvalidInput } from '@machinist/core/errors'
import { madeFrom } from '../generated/caches.ts'
import type { Maker } from '../../fleet/render/maker.ts'
import type { Cache } from '../render/caches.ts'
import type { Facts, Ground } from './facts.ts'
import { inheritsFromWorkers, poolSettings, selectionOf } from './pool-settings.ts'
import type { NodeSettings, PoolSettings, SettingsKind } from './settings-kind.ts'
import type { TemplateCaches } from './templates.ts'
import { baseOf } from './templates.ts'

/** What it follows, beside the objects; the informers may be shared with others. */
export interface NodeSettingsCaches extends TemplateCaches {
  readonly pools: Cache<MachineConfigPool>
}

export interface GatherOptions {
  readonly caches: NodeSettingsCaches
  readonly maker: Maker
}

/** Everything about an object, from the caches alone; `objects` are all of its kind. */
export function gather<T extends NodeSettings, World>(
  object: Readonly<T>,
  objects: readonly Readonly<T>[],
  kind: SettingsKind<T, World>,
  { caches, maker }: GatherOptions,
): Facts<T, World> {
  const pools = caches.pools.list().map(poolSettings)
  const selection = selectionOf(object, pools)
  const selected = 'pools' in selection ? selection.pools : []
  const workers = pools.filter(({ name }) => name === builtIn.worker)
  const needed = [...selected, ...(selected.some(inheritsFromWorkers) ? workers : [])]
  return {
    object,
    objects,
    pools,
    grounds: new Map(needed.map((pool) => [pool.name, groundOf(pool, kind, { caches, maker })])),
    stored: (name) => caches.machineConfigs.get(name),
    made: madeFrom(object, caches.machineConfigs),
    maker,
  }
}

function groundOf<T extends NodeSettings, World>(
  pool: PoolSettings,
  kind: SettingsKind<T, World>,
  options: GatherOptions,
): Ground<World> {
  const found = baseOf(pool, kind.base(pool.role), options)
  if ('waits' in found) return found
  try {
    return { world: kind.world(pool, found.base) }
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    return { problem: { reason: nodeSettingsReasons.noBase, message: error.message } }
  }
}
