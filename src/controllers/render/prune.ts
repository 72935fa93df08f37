import { otherMakerOf } from '../../api/maker.ts'
import type { MachineConfig, MachineConfigPool } from '../../api/resources.ts'
import type { RenderCaches } from './caches.ts'
import { byConfigInUse, byRenderedFor } from './caches.ts'
import { owningPool } from '../../fleet/render/rendered-object.ts'

/** What was rendered for a pool and is of no more use. Asks indexes only: the number of nodes does not matter. */
export function prunable(
  pool: MachineConfigPool,
  caches: RenderCaches,
  keep: number,
): MachineConfig[] {
  const rendered = caches.machineConfigs.byIndex(byRenderedFor, pool.metadata.name).filter(isOurs)
  return rendered.length <= keep ? [] : oldOnes(rendered, keep, referencesIn(caches))
}

/** What is deleted, by a person or with its pool, and was only kept for nodes that do not need it any more. */
export function released(pool: string, caches: RenderCaches): MachineConfig[] {
  const leaving = caches.machineConfigs
    .byIndex(byRenderedFor, pool)
    .filter((machineConfig) => isOurs(machineConfig) && isLeaving(machineConfig, caches))
  if (leaving.length === 0) return []
  const isReferenced = referencesIn(caches)
  return leaving.filter(({ metadata }) => !isReferenced(metadata.name))
}

/** Nobody will ask for it again: it goes with the last node that is in it. */
export function isLeaving(machineConfig: MachineConfig, { pools }: RenderCaches): boolean {
  const owner = owningPool(machineConfig)
  if (owner === undefined) return false
  return machineConfig.metadata.deletionTimestamp !== undefined || pools.get(owner) === undefined
}

/** What another controller rendered is its own to prune. */
const isOurs = (machineConfig: MachineConfig): boolean => otherMakerOf(machineConfig) === undefined

function referencesIn({ pools, nodes, machineConfigNodes }: RenderCaches) {
  const staying = pools.list().filter(({ metadata }) => !metadata.deletionTimestamp)
  const ofPools = new Set(staying.flatMap(configsOf))
  return (name: string): boolean =>
    ofPools.has(name) ||
    nodes.byIndex(byConfigInUse, name).length > 0 ||
    machineConfigNodes.byIndex(byConfigInUse, name).length > 0
}

/** All but the newest `keep`, and but what somebody still refers to. */
export function oldOnes(
  rendered: readonly MachineConfig[],
  keep: number,
  isReferenced: (name: string) => boolean,
): MachineConfig[] {
  return rendered
    .toSorted((a, b) => byAge(b, a))
    .slice(keep)
    .filter(({ metadata }) => !isReferenced(metadata.name) && !metadata.deletionTimestamp)
}

function configsOf({ spec, status }: MachineConfigPool): string[] {
  return [spec.configuration?.name, status?.configuration?.name].filter(
    (name) => name !== undefined,
  )
}

function byAge(a: MachineConfig, b: MachineConfig): number {
  const [one, other] = [a, b].map(
    ({ metadata }) => `${metadata.creationTimestamp ?? ''} ${metadata.name}`,
  ) as [string, string]
  return one < other ? -1 : one > other ? 1 : 0
}
