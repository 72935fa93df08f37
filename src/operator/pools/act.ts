import type { ObjectKey } from '@machinist/core/objects/resource'
import { keyOf, keyText } from '@machinist/core/objects/resource'
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
import { namespaces } from '../../api/names.ts'
import { machineConfigPools } from '../../api/kinds/resources.ts'
import { userDataKey } from '../../fleet/provisioning/user-data-key.ts'
import type { PoolChange, PoolsPlan, UserDataChange, UserDataRemoval } from './decide.ts'
import { placeOf } from './decide.ts'
import type { PoolsFacts } from './facts.ts'
import { userDataPatch } from './user-data.ts'

type PoolsWriteContext = Pick<StepContext, 'client' | 'signal'>

export interface PoolsResult {
  /** The first write that the API server refused. */
  readonly refusal?: string
  readonly failures: readonly unknown[]
}

/** A failed write does not stop the other. */
export async function act(
  plan: PoolsPlan,
  facts: PoolsFacts,
  { client, log, signal }: StepContext,
): Promise<PoolsResult> {
  const refusals: string[] = []
  const failures: unknown[] = []
  for (const [what, write] of writesOf(facts, plan)) {
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

function writesOf(
  { name, hasMachineAPI }: PoolsFacts,
  { pool, userData, removal }: PoolsPlan,
): [what: string, write: Write][] {
  const key = userDataKey(name, placeOf(hasMachineAPI))
  const writes: [string, Write][] = []
  if (pool) {
    writes.push([`MachineConfigPool ${name}`, (context) => writePool(name, pool, context)])
  }
  if (userData && !('skipped' in userData)) {
    const what = `Secret ${keyText(key)}`
    writes.push([what, (context) => writeUserData(key, userData, context)])
  }
  if (removal) {
    const what = `Secret ${keyText(removal.key)}`
    writes.push([what, (context) => removeUserData(removal, context)])
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
  key: ObjectKey,
  change: Exclude<UserDataChange, { skipped: string }>,
  { client, signal }: PoolsWriteContext,
): Promise<boolean> {
  if ('patch' in change) {
    await client.patch(secrets, key, mergePatch(change.patch), { signal })
    return true
  }
  try {
    await client.create(secrets, change.create, { signal })
    return true
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    // Beside the tokens, the informer shows every Secret: a watch event follows.
    if (key.namespace === namespaces.provisioning) return false
    return adoptSecret(change.create, { client, signal })
  }
}

async function removeUserData(
  { key, uid }: UserDataRemoval,
  { client, signal }: PoolsWriteContext,
): Promise<boolean> {
  await client.remove(secrets, key, { uid, signal })
  return true
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
