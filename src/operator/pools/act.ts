import { machineConfigPools } from '../../api/resources.ts'
import { keyOf } from '@machinist/core/resource'
import type { KubeClient } from '@machinist/kube/client'
import { isAlreadyExists } from '@machinist/kube/failure'
import type { Secret } from '@machinist/kube/kinds/core'
import { secrets } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import type { PoolChange, UserDataChange } from './decide.ts'
import { userDataKey, userDataPatch } from './user-data.ts'

export interface ActOptions {
  readonly client: KubeClient
  readonly signal: AbortSignal
}

/** Tells whether something was written. */
export async function writePool(
  name: string,
  change: PoolChange,
  { client, signal }: ActOptions,
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
    // Somebody else was faster; the cache will tell.
    if (isAlreadyExists(error)) return false
    throw error
  }
}

/** Tells whether something was written. */
export async function writeUserData(
  pool: string,
  change: Exclude<UserDataChange, { skipped: string }>,
  { client, signal }: ActOptions,
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
    return adopt(change.create, { client, signal })
  }
}

/** It is there without the label by which we follow such Secrets: an older release made it. */
async function adopt(wanted: Secret, { client, signal }: ActOptions): Promise<boolean> {
  const key = keyOf(wanted)
  const patch = userDataPatch(wanted, await client.get(secrets, key, { signal }))
  if (patch) await client.patch(secrets, key, mergePatch(patch), { signal })
  return patch !== undefined
}
