import type { Secret } from '@machinist/kube/kinds/core'
import { names, namespaces } from '../../api/names.ts'
import type { PointerVersion } from '../../fleet/provisioning/pointer.ts'
import { managedTokenKey, readTokenSecret } from '../../fleet/provisioning/token-secret.ts'
import { userDataKey } from '../../fleet/provisioning/user-data-key.ts'
import type { PoolsFacts } from './facts.ts'
import type { PoolsCaches } from './inputs.ts'

/** Gathers the facts from the caches. */
export function gather(
  name: string,
  { pools, controllerConfigs, machineAPI, userData, provisioning }: PoolsCaches,
  pointerVersion?: PointerVersion,
): PoolsFacts {
  const namespace = machineAPI.get(namespaces.machineAPI)
  const hasMachineAPI =
    namespace !== undefined && namespace.metadata.deletionTimestamp === undefined
  const own = provisioning.get(userDataKey(name, namespaces.provisioning))
  return {
    name,
    pool: pools.get(name),
    controllerConfig: controllerConfigs.get(names.controllerConfig),
    hasMachineAPI,
    isUserDataKnown:
      machineAPI.hasSynced && (hasMachineAPI ? userData.hasSynced : provisioning.hasSynced),
    userData: hasMachineAPI ? userData.get(userDataKey(name)) : own,
    ...(hasMachineAPI && own && { leftUserData: own }),
    token: tokenOf(name, provisioning.get(managedTokenKey(name))),
    ...(pointerVersion && { pointerVersion }),
  }
}

function tokenOf(pool: string, secret: Readonly<Secret> | undefined): string | undefined {
  const reading = secret && readTokenSecret(secret)
  return reading?.type === 'token' && reading.token.pool === pool
    ? reading.token.current
    : undefined
}
