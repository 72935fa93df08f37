import { machineConfigPools } from '../../api/kinds/resources.ts'
import { keyOf } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import { isAlreadyExists } from '@machinist/kube/failure'
import type { Secret } from '@machinist/kube/kinds/core'
import { secrets } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import type { PoolChange, UserDataChange } from './decide.ts'
import { userDataKey, userDataPatch } from './user-data.ts'

export interface PoolsActOptions {
  readonly client: KubeClient
  readonly signal: AbortSignal
}

/** Returns whether it wrote something. */
export async function writePool(
  name: string,
  change: PoolChange,
  { client, signal }: PoolsActOptions,
): Promise<boolean> {
  if ('labels' in change) {
    const patch = mergePatch({ metadata: { labels: change.labels } })
    await client.patch(machineConfigPools, { name }, patch, { signal })
    return true
  }
  try {
    await client.create(machineConfigPools, change.create, { signal })
    return true
  } catch (error) {
    // Created concurrently: a watch event follows.
    if (isAlreadyExists(error)) return false
    throw error
  }
}

/** Returns whether it wrote something. */
export async function writeUserData(
  pool: string,
  change: Exclude<UserDataChange, { skipped: string }>,
  { client, signal }: PoolsActOptions,
): Promise<boolean> {
  if ('patch' in change) {
    await client.patch(secrets, userDataKey(pool), mergePatch(change.patch), { signal })
    return true
  }
  try {
    await client.create(secrets, change.create, { signal })
    return true
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    return adoptSecret(change.create, { client, signal })
  }
}

/** The Secret exists without the label of the informer: an older release created it. */
async function adoptSecret(desired: Secret, { client, signal }: PoolsActOptions): Promise<boolean> {
  const key = keyOf(desired)
  const patch = userDataPatch(desired, await client.get(secrets, key, { signal }))
  if (patch) await client.patch(secrets, key, mergePatch(patch), { signal })
  return patch !== undefined
}
