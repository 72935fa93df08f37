import { InvalidInput } from '@machinist/core/errors'
import { nodeLabels } from '../../api/labels.ts'
import { pools as builtIn } from '../../api/names.ts'
import type { MachineConfigPool } from '../../api/kinds/resources.ts'
import type { SharedCache } from '../render/caches.ts'
import { matcher, selectsRole } from '../render/gather.ts'
import type { NodeSettings, PoolSettings } from './settings-kind.ts'

/** Workers first: custom pools nearly always select the MachineConfigs of the worker role. */
const roles: readonly string[] = [builtIn.worker, builtIn.master, builtIn.arbiter]
const controlPlane: ReadonlySet<string> = new Set([builtIn.master, builtIn.arbiter])

export function poolSettings(pool: MachineConfigPool): PoolSettings {
  const { name } = pool.metadata
  return { name, pool, role: roleOf(pool), isControlPlane: isOfControlPlane(pool) }
}

/** Whether the pool selects the MachineConfigs of the worker pool. */
export function inheritsFromWorkers({ name, pool }: PoolSettings): boolean {
  return name !== builtIn.worker && selectsRole(pool, builtIn.worker)
}

export const isBuiltIn = (pool: string): boolean => roles.includes(pool)

/**
 * Whether the pool selects the MachineConfigs of an existing built-in pool. A generated MachineConfig of its own would come after
 * those in merge order, and override the settings of the built-in pool.
 */
export function isReachedByRole(
  { name, pool, role }: PoolSettings,
  pools: Pick<SharedCache<MachineConfigPool>, 'get'>,
): boolean {
  if (isBuiltIn(name) || !selectsRole(pool, role)) return false
  const rolePool = pools.get(role)
  return rolePool !== undefined && !rolePool.metadata.deletionTimestamp
}

export type Selection = { readonly pools: readonly PoolSettings[] } | { readonly problem: string }

/** The pools that an object selects, sorted by name. */
export function selectionOf(
  { spec }: Readonly<NodeSettings>,
  pools: readonly PoolSettings[],
): Selection {
  try {
    const matches = matcher(spec.machineConfigPoolSelector)
    const selected = pools.filter(({ pool }) => matches(pool.metadata.labels))
    return { pools: selected.toSorted((a, b) => (a.name < b.name ? -1 : 1)) }
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    return { problem: error.message }
  }
}

function roleOf(pool: MachineConfigPool): string {
  const { name } = pool.metadata
  if (isBuiltIn(name)) return name
  return roles.find((role) => selectsRole(pool, role)) ?? builtIn.worker
}

/** By name, or by a nodeSelector for the master label. */
function isOfControlPlane({ metadata, spec }: MachineConfigPool): boolean {
  if (controlPlane.has(metadata.name)) return true
  const { matchLabels = {}, matchExpressions = [] } = spec.nodeSelector ?? {}
  return (
    Object.hasOwn(matchLabels, nodeLabels.master) ||
    matchExpressions.some(
      ({ key, operator }) => key === nodeLabels.master && ['Exists', 'In'].includes(operator),
    )
  )
}
