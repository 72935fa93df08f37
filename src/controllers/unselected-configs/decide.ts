import { annotations } from '../../api/annotations.ts'
import { labels } from '../../api/labels.ts'
import type { MachineConfig, MachineConfigPool } from '../../api/kinds/resources.ts'
import { plain } from '@machinist/core/quoted'
import { selectedBy } from '../render/gather.ts'
import { owningPool } from '../../fleet/render/rendered-object.ts'

/** Why a MachineConfig of a user has no effect; undefined if a pool selects it. Generated MachineConfigs do not count. */
export function unselectedReason(
  machineConfig: Readonly<MachineConfig>,
  pools: readonly Readonly<MachineConfigPool>[],
): string | undefined {
  const { metadata } = machineConfig
  const isGenerated = metadata.annotations?.[annotations.generatedByController] !== undefined
  if (isGenerated || metadata.deletionTimestamp || owningPool(machineConfig)) return undefined
  if (pools.some((pool) => selectedBy(pool, [machineConfig]).machineConfigs.length > 0)) {
    return undefined
  }
  const role = metadata.labels?.[labels.role]
  const found =
    role === undefined
      ? `it has no label ${labels.role}`
      : `its label ${labels.role} is ${plain(role)}`
  const names =
    pools
      .map((pool) => pool.metadata.name)
      .toSorted()
      .join(', ') || 'none'
  return `No MachineConfigPool selects MachineConfig ${metadata.name}, so it has no effect: ${found}. Set the label to the name of a pool; existing pools: ${names}`
}
