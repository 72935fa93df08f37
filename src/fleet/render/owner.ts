import type { MachineConfig } from '../../api/resources.ts'
import { controllerConfigs } from '../../api/resources.ts'
import type { KubeObject, OwnerReference, Resource } from '@machinist/core/resource'
import { apiVersionOf } from '@machinist/core/resource'

/** As one object names another that it goes away with: who looks after it, or just belongs to it. */
export function ownerReference(
  place: Resource,
  { metadata }: Readonly<KubeObject>,
  { isController = true } = {},
): OwnerReference {
  return {
    apiVersion: apiVersionOf(place),
    kind: place.kind,
    name: metadata.name,
    uid: metadata.uid!,
    ...(isController && { controller: true, blockOwnerDeletion: true }),
  }
}

/** The name of the object of a kind that looks after a MachineConfig, if one does. */
export function ownerOfKind(
  { metadata }: Readonly<MachineConfig>,
  wanted: string,
): string | undefined {
  return metadata.ownerReferences?.find(
    ({ controller, kind }) => controller === true && kind === wanted,
  )?.name
}

/** The ControllerConfig that a MachineConfig was made from, if it was made from templates. */
export const owningControllerConfig = (
  machineConfig: Readonly<MachineConfig>,
): string | undefined => ownerOfKind(machineConfig, controllerConfigs.kind)
