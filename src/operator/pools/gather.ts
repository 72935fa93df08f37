import { names, namespaces } from '../../api/names.ts'
import type { PoolsFacts } from './facts.ts'
import type { PoolsCaches } from './inputs.ts'
import type { PointerVersion } from './pointer.ts'
import { userDataKey } from './user-data.ts'

/** Gathers the facts from the caches. */
export function gather(
  name: string,
  { pools, controllerConfigs, machineAPI, userData }: PoolsCaches,
  pointerVersion?: PointerVersion,
): PoolsFacts {
  const namespace = machineAPI.get(namespaces.machineAPI)
  return {
    name,
    pool: pools.get(name),
    controllerConfig: controllerConfigs.get(names.controllerConfig),
    hasMachineAPI: namespace !== undefined && namespace.metadata.deletionTimestamp === undefined,
    isUserDataKnown: machineAPI.hasSynced && userData.hasSynced,
    userData: userData.get(userDataKey(name)),
    ...(pointerVersion && { pointerVersion }),
  }
}
