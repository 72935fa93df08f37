import { names } from '../../api/names.ts'
import type { MachineConfig } from '../../api/resources.ts'
import type { KubeObject } from '@machinist/core/resource'
import type { Indexes } from '@machinist/kube/informer/store'
import { owningControllerConfig } from '../../fleet/render/owner.ts'

const byOwner = 'generated: uid of an owner'
const byControllerConfig = 'generated: name of the ControllerConfig'

/** What whoever makes MachineConfigs, or waits for those of others, needs to find them again. */
export const machineConfigIndexes: Indexes<MachineConfig> = {
  [byOwner]: ({ metadata }) => metadata.ownerReferences?.map(({ uid }) => uid) ?? [],
  [byControllerConfig]: (machineConfig) => [owningControllerConfig(machineConfig) ?? []].flat(),
}

/** With `machineConfigIndexes`. */
interface Indexed {
  byIndex(name: string, value: string): Readonly<MachineConfig>[]
}

/** What was made from an object, and goes away with it. */
export function madeFrom(
  { metadata: { uid } }: Readonly<KubeObject>,
  machineConfigs: Indexed,
): Readonly<MachineConfig>[] {
  return uid === undefined ? [] : machineConfigs.byIndex(byOwner, uid)
}

/** What was made from templates, whichever ControllerConfig of that name it was: the next one takes it over. */
export const madeFromTemplates = (machineConfigs: Indexed): Readonly<MachineConfig>[] =>
  machineConfigs.byIndex(byControllerConfig, names.controllerConfig)
