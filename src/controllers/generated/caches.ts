import type { KubeObject } from '@machinist/core/objects/resource'
import type { Indexes } from '@machinist/kube/informer/store'
import { names } from '../../api/names.ts'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import { owningControllerConfig } from '../../fleet/render/owner.ts'

const byOwner = 'generated: uid of an owner'
const byControllerConfig = 'generated: name of the ControllerConfig'

/** Indexes for controllers that generate MachineConfigs, or wait for generated ones. */
export const machineConfigIndexes: Indexes<MachineConfig> = {
  [byOwner]: ({ metadata }) => metadata.ownerReferences?.map(({ uid }) => uid) ?? [],
  [byControllerConfig]: (machineConfig) => [owningControllerConfig(machineConfig) ?? []].flat(),
}

/** With `machineConfigIndexes`. */
interface IndexedConfigs {
  byIndex(name: string, value: string): Readonly<MachineConfig>[]
}

/** MachineConfigs that an object owns. */
export function configsOwnedBy(
  { metadata: { uid } }: Readonly<KubeObject>,
  machineConfigs: IndexedConfigs,
): Readonly<MachineConfig>[] {
  return uid === undefined ? [] : machineConfigs.byIndex(byOwner, uid)
}

/** MachineConfigs of templates, also of a former ControllerConfig with the same name. */
export const configsOfTemplates = (machineConfigs: IndexedConfigs): Readonly<MachineConfig>[] =>
  machineConfigs.byIndex(byControllerConfig, names.controllerConfig)

/** Stored MachineConfigs by name, of any writer. */
export type StoredConfigs = ReadonlyMap<string, Readonly<MachineConfig>>

export function configsByName(configs: readonly Readonly<MachineConfig>[]): StoredConfigs {
  return new Map(configs.map((one) => [one.metadata.name, one]))
}
