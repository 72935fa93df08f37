import { names, namespaces } from '../../api/names.ts'
import type { PoolsInformers } from './caches.ts'
import type { Facts } from './decide.ts'
import { userDataKey } from './user-data.ts'

/** All from the caches. */
export function gather(name: string, informers: PoolsInformers): Facts {
  const { machineAPI, userData } = informers
  const namespace = machineAPI.get(namespaces.machineAPI)
  return {
    name,
    pool: informers.pools.get(name),
    controllerConfig: informers.controllerConfigs.get(names.controllerConfig),
    hasMachineAPI: namespace !== undefined && namespace.metadata.deletionTimestamp === undefined,
    isUserDataKnown: machineAPI.hasSynced && userData.hasSynced,
    userData: userData.get(userDataKey(name)),
  }
}
