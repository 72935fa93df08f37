import { annotations } from '../../api/annotations.ts'
import type { MachineConfigSpec } from '../../api/kinds/machine-config.ts'
import { labels } from '../../api/labels.ts'
import type { MachineConfig } from '../../api/resources.ts'
import { machineConfigs } from '../../api/resources.ts'
import type { OwnerReference } from '@machinist/core/resource'
import { apiVersionOf } from '@machinist/core/resource'
import type { Maker } from '../../fleet/render/maker.ts'

/** What a controller wants a MachineConfig to be. */
export interface Generated {
  readonly name: string
  /** The pool that it is for. */
  readonly role: string
  readonly spec: MachineConfigSpec
  /** Deleting the owner deletes it. None where the owner is not in the cluster yet. */
  readonly owner?: OwnerReference | undefined
  /** Annotations beside the one that says who made it. */
  readonly marks?: Readonly<Record<string, string>>
}

/** The MachineConfig as it is stored. */
export function generatedMachineConfig(
  { name, role, spec, owner, marks }: Generated,
  { build }: Pick<Maker, 'build'>,
): MachineConfig {
  return {
    apiVersion: apiVersionOf(machineConfigs),
    kind: machineConfigs.kind,
    metadata: {
      name,
      labels: { [labels.role]: role },
      annotations: { [annotations.generatedByController]: build, ...marks },
      ...(owner && { ownerReferences: [owner] }),
    },
    spec,
  }
}

/** Whether a controller made it; the rest is by people. */
export function isGenerated({ metadata }: Readonly<MachineConfig>): boolean {
  return Boolean(metadata.annotations?.[annotations.generatedByController])
}

/** Whether it is by a controller, and no object says that it looks after it: what people or others made is left alone. */
export function isUnclaimed(machineConfig: Readonly<MachineConfig>): boolean {
  const { ownerReferences: owners = [] } = machineConfig.metadata
  return isGenerated(machineConfig) && !owners.some(({ controller }) => controller === true)
}
