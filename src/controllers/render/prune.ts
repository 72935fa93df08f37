import type { MachineConfig, MachineConfigPool } from '../../api/resources.ts'
import type { RenderCaches } from './caches.ts'
import { byConfigInUse, byRenderedFor } from './caches.ts'

/** What was rendered for a pool and is of no more use. Asks indexes only: the number of nodes does not matter. */
export function prunable(
  pool: MachineConfigPool,
  caches: RenderCaches,
  keep: number,
): MachineConfig[] {
  const rendered = caches.machineConfigs.byIndex(byRenderedFor, pool.metadata.name)
  if (rendered.length <= keep) return []
  const ofPools = new Set(caches.pools.list().flatMap(configsOf))
  return oldOnes(rendered, keep, (name) => {
    const { nodes, machineConfigNodes } = caches
    return (
      ofPools.has(name) ||
      nodes.byIndex(byConfigInUse, name).length > 0 ||
      machineConfigNodes.byIndex(byConfigInUse, name).length > 0
    )
  })
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
