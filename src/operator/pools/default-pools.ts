import { labels, nodeRoleLabel, poolLabel } from '../../api/labels.ts'
import { pools } from '../../api/names.ts'
import type { MachineConfigPool } from '../../api/resources.ts'

/** Whether there is a node that helps the control plane to decide and does nothing else. */
const arbiterTopology = 'HighlyAvailableArbiter'

/** Pools that the operator makes. Their order is that of the original. */
export const builtInPools: readonly string[] = [pools.master, pools.worker, pools.arbiter]

/** The built-in pool of this name as it is made, if a cluster of this topology has it. */
export function builtInPool(
  name: string,
  controlPlaneTopology: string | undefined,
): MachineConfigPool | undefined {
  if (!builtInPools.includes(name)) return undefined
  if (name === pools.arbiter && controlPlaneTopology !== arbiterTopology) return undefined
  return {
    metadata: {
      name,
      labels: {
        ...(name !== pools.worker && { [labels.requiredForUpgrade]: '' }),
        [labels.builtInPool]: '',
        [poolLabel(name)]: '',
      },
    },
    spec: {
      machineConfigSelector: { matchLabels: { [labels.role]: name } },
      nodeSelector: { matchLabels: { [nodeRoleLabel(name)]: '' } },
    },
  }
}

/** The labels that a pool lacks or has with another value; what else it has, and its spec, is the user's. */
export function missingLabels(
  wanted: MachineConfigPool,
  found: Readonly<MachineConfigPool>,
): Readonly<Record<string, string>> | undefined {
  const missing = Object.entries(wanted.metadata.labels ?? {}).filter(
    ([key, value]) => found.metadata.labels?.[key] !== value,
  )
  return missing.length > 0 ? Object.fromEntries(missing) : undefined
}
