import { annotations } from '../../api/annotations.ts'
import { labels } from '../../api/labels.ts'
import type { ControllerConfig, MachineConfig } from '../../api/resources.ts'
import { controllerConfigs, machineConfigs } from '../../api/resources.ts'
import { apiVersionOf } from '../../base/resource.ts'
import type { Maker } from '../render/rendered-object.ts'
import type { RenderedPart } from './render-role.ts'

/** A part of a role's templates as it is stored. Deleting the ControllerConfig deletes it. */
export function machineConfigOf(
  { name, spec }: RenderedPart,
  role: string,
  { metadata }: ControllerConfig,
  { build }: Pick<Maker, 'build'>,
): MachineConfig {
  const owner = metadata.uid !== undefined && {
    apiVersion: apiVersionOf(controllerConfigs),
    kind: controllerConfigs.kind,
    name: metadata.name,
    uid: metadata.uid,
    controller: true,
    blockOwnerDeletion: true,
  }
  return {
    apiVersion: apiVersionOf(machineConfigs),
    kind: machineConfigs.kind,
    metadata: {
      name,
      labels: { [labels.role]: role },
      annotations: { [annotations.generatedByController]: build },
      ...(owner && { ownerReferences: [owner] }),
    },
    spec,
  }
}
