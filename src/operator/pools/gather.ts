import { names, namespaces } from '../../api/names.ts'
import type { PoolsInformers } from './caches.ts'
import type { Facts } from './decide.ts'
import { userDataKey } from './user-data.ts'

/** All from the caches. */
export function gather(name: string, informers: PoolsInformers): Facts {
  const namespace = informers.machineAPI.get(namespaces.machineAPI)
  return {
    name,
    pool: informers.pools.get(name),
    controllerConfig: informers.controllerConfigs.get(names.controllerConfig),
    hasMachineAPI: namespace !== undefined && namespace.metadata.deletionTimestamp === undefined,
    userData: informers.userData.get(userDataKey(name)),
  }
}
