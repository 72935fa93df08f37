import type { MachineConfig } from '../../api/resources.ts'
import type { Indexes } from '../../kube/informer/store.ts'

export const byOwner = 'generated: uid of an owner'

/** What whoever makes MachineConfigs needs to find its own again. */
export const machineConfigIndexes: Indexes<MachineConfig> = {
  [byOwner]: ({ metadata }) => metadata.ownerReferences?.map(({ uid }) => uid) ?? [],
}
