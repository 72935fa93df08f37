import { labels, nodeRoleLabel, poolLabel } from '../../api/labels.ts'
import { pools } from '../../api/names.ts'
import type { MachineConfigPool } from '../../api/kinds/resources.ts'

/** The topology with an arbiter node, which only takes part in the etcd quorum. */
const arbiterTopology = 'HighlyAvailableArbiter'

/** The pools that the operator creates, in the order of MCO. */
export const builtInPools: readonly string[] = [pools.master, pools.worker, pools.arbiter]

/** The built-in pool of this name, if a cluster of this topology has it. */
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

/** The labels that a pool lacks or has with another value; other labels and the spec belong to the user. */
export function missingLabels(
  desired: MachineConfigPool,
  found: Readonly<MachineConfigPool>,
): Readonly<Record<string, string>> | undefined {
  const missing = Object.entries(desired.metadata.labels ?? {}).filter(
    ([key, value]) => found.metadata.labels?.[key] !== value,
  )
  return missing.length > 0 ? Object.fromEntries(missing) : undefined
}
