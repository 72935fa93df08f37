import { InvalidInput } from '@machinist/core/errors'
import type { Maker } from '../../fleet/render/maker.ts'
import { configsByName } from '../generated/caches.ts'
import { isReachedByRole, poolSettings } from '../node-settings/pool-settings.ts'
import type { PoolSettings } from '../node-settings/settings-kind.ts'
import { baseOf } from '../node-settings/templates.ts'
import { lostKindsOf } from './cluster-settings.ts'
import type { KubeletDefaultsFacts, RoleState } from './facts.ts'
import type { KubeletDefaultsCaches } from './inputs.ts'
import { kubeletBase, layerNames } from './layers.ts'
import { roleFacts } from './role-facts.ts'

/** Undefined if the pool does not exist, or is being deleted. */
export function gather(
  name: string,
  caches: KubeletDefaultsCaches,
  maker: Maker,
): KubeletDefaultsFacts | undefined {
  const { pools, machineConfigs } = caches
  const pool = pools.get(name)
  if (!pool || pool.metadata.deletionTimestamp) return undefined
  const settings = poolSettings(pool)
  return {
    settings,
    role: isReachedByRole(settings, pools) ? undefined : roleState(settings, caches, maker),
    lost: lostKindsOf(caches),
    stored: configsByName(layerNames(settings).flatMap((layer) => machineConfigs.get(layer) ?? [])),
    maker,
  }
}

function roleState(settings: PoolSettings, caches: KubeletDefaultsCaches, maker: Maker): RoleState {
  const { role } = settings
  const found = baseOf(settings, kubeletBase(role), { caches, maker })
  if ('waitsFor' in found) return found
  try {
    return { facts: roleFacts(role, found.base, caches) }
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    return { unreadable: error.message }
  }
}
