import type { KubeObject, OwnerReference, Resource } from '@machinist/core/objects/resource'
import { apiVersionOf } from '@machinist/core/objects/resource'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import { controllerConfigs } from '../../api/kinds/resources.ts'

/** An owner reference, as controller or as plain owner. */
export function ownerReference(
  resource: Resource,
  { metadata }: Readonly<KubeObject>,
  { isController = true } = {},
): OwnerReference {
  return {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    name: metadata.name,
    uid: metadata.uid!,
    ...(isController && { controller: true, blockOwnerDeletion: true }),
  }
}

/** The name of the controlling owner of a kind, if there is one. */
export function ownerOfKind(
  { metadata }: Readonly<MachineConfig>,
  ownerKind: string,
): string | undefined {
  return metadata.ownerReferences?.find(
    ({ controller, kind }) => controller === true && kind === ownerKind,
  )?.name
}

/** The ControllerConfig of a MachineConfig that the template controller created. */
export const owningControllerConfig = (
  machineConfig: Readonly<MachineConfig>,
): string | undefined => ownerOfKind(machineConfig, controllerConfigs.kind)
