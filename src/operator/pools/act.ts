import { keyOf } from '@machinist/core/objects/resource'
import type { StepContext } from '@machinist/kube/controller/step-controller'
import {
  describeRefusal,
  isAlreadyExists,
  isNotFound,
  isRefused,
  withoutServerMessage,
} from '@machinist/kube/failure'
import type { Secret } from '@machinist/kube/kinds/core'
import { secrets } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { machineConfigPools } from '../../api/kinds/resources.ts'
import type { PoolChange, PoolsPlan, UserDataChange } from './decide.ts'
import type { PoolsFacts } from './facts.ts'
import { userDataKey, userDataPatch } from './user-data.ts'

type PoolsWriteContext = Pick<StepContext, 'client' | 'signal'>

export interface PoolsResult {
  /** The first write that the API server refused. */
  readonly refusal?: string
  readonly failures: readonly unknown[]
}

/** A failed write does not stop the other. */
export async function act(
  plan: PoolsPlan,
  { name }: PoolsFacts,
  { client, log, signal }: StepContext,
): Promise<PoolsResult> {
  const refusals: string[] = []
  const failures: unknown[] = []
  for (const [what, write] of writesOf(name, plan)) {
    try {
      if (await write({ client, signal })) log.info('wrote an object of a pool', { what })
    } catch (error) {
      if (isRefused(error)) refusals.push(describeRefusal(what, error))
      // The namespace or pool was deleted concurrently: a watch event follows.
      else if (!isNotFound(error)) failures.push(withoutServerMessage(error))
    }
  }
  const [refusal] = refusals
  return { ...(refusal !== undefined && { refusal }), failures }
}

type Write = (context: PoolsWriteContext) => Promise<boolean>

function writesOf(name: string, { pool, userData }: PoolsPlan): [what: string, write: Write][] {
  const secret = userDataKey(name)
  const writes: [string, Write][] = []
  if (pool) {
    writes.push([`MachineConfigPool ${name}`, (context) => writePool(name, pool, context)])
  }
  if (userData && !('skipped' in userData)) {
    const what = `Secret ${secret.namespace}/${secret.name}`
    writes.push([what, (context) => writeUserData(name, userData, context)])
  }
  return writes
}

/** Returns whether it wrote something. */
async function writePool(
  name: string,
  change: PoolChange,
  { client, signal }: PoolsWriteContext,
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
async function writeUserData(
  pool: string,
  change: Exclude<UserDataChange, { skipped: string }>,
  { client, signal }: PoolsWriteContext,
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
async function adoptSecret(
  desired: Secret,
  { client, signal }: PoolsWriteContext,
): Promise<boolean> {
  const key = keyOf(desired)
  const patch = userDataPatch(desired, await client.get(secrets, key, { signal }))
  if (patch) await client.patch(secrets, key, mergePatch(patch), { signal })
  return patch !== undefined
}
