import type { OwnerReference } from '@machinist/core/objects/resource'
import { apiVersionOf } from '@machinist/core/objects/resource'
import { annotations } from '../../api/annotations.ts'
import type { MachineConfigSpec } from '../../api/kinds/machine-config.ts'
import { labels } from '../../api/labels.ts'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import { machineConfigs } from '../../api/kinds/resources.ts'
import type { Maker } from '../../fleet/render/maker.ts'

/** The settings of a controller that generates MachineConfigs. */
export interface GeneratorSettings {
  readonly maker: Maker
}

/** The input for a generated MachineConfig. */
export interface GeneratedConfig {
  readonly name: string
  /** The role of the pool that selects it. */
  readonly role: string
  readonly spec: MachineConfigSpec
  /** Undefined while the owner is not in the cluster. */
  readonly owner?: OwnerReference | undefined
  /** Annotations in addition to generated-by-controller-version. */
  readonly marks?: Readonly<Record<string, string>>
}

export function generatedMachineConfig(
  { name, role, spec, owner, marks }: GeneratedConfig,
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

/** Whether a controller generated it; users create the others. */
export function isGenerated({ metadata }: Readonly<MachineConfig>): boolean {
  return Boolean(metadata.annotations?.[annotations.generatedByController])
}

/** Whether a controller generated it, and no object controls it. */
export function isUnclaimed(machineConfig: Readonly<MachineConfig>): boolean {
  const { ownerReferences: owners = [] } = machineConfig.metadata
  return isGenerated(machineConfig) && !owners.some(({ controller }) => controller === true)
}
