import { names, namespaces } from '../../api/names.ts'
import type { PoolsCaches } from './caches.ts'
import type { PoolFacts } from './decide.ts'
import { userDataKey } from './user-data.ts'

/** Gathers the facts from the caches. */
export function gatherPool(name: string, informers: PoolsCaches): PoolFacts {
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
