import type { MachineConfigPool } from '../../api/kinds/resources.ts'
import { machineConfigPools } from '../../api/kinds/resources.ts'
import { timestamp } from '@machinist/core/timestamp'
import { modify } from '@machinist/kube/client/modify'
import type { KubeClient } from '@machinist/kube/client/client'
import { ignoreNotFound, isRefused, describeRefusal } from '@machinist/kube/failure'
import { mergePatch } from '@machinist/kube/patch'
import type { PinnedImagesPlan } from './decide.ts'
import { statusAfter } from './decide.ts'

/** Writes the list first, then the status with the result. */
export async function act(
  client: KubeClient,
  pool: Readonly<MachineConfigPool>,
  plan: PinnedImagesPlan,
  signal: AbortSignal,
): Promise<{ readonly refused: boolean }> {
  const refusal = await writeList(client, pool, plan, signal)
  const problem = plan.problem ?? refusal
  const report = { counts: plan.counts, ...(problem !== undefined && { problem }) }
  await writeStatus(client, pool, report, signal)
  return { refused: refusal !== undefined }
}

/** The reason if the API server rejects the list: a user must act. */
async function writeList(
  client: KubeClient,
  { metadata: { name } }: Readonly<MachineConfigPool>,
  { list }: PinnedImagesPlan,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (list === undefined) return undefined
  const patch = mergePatch({ spec: { pinnedImageSets: list } })
  try {
    await ignoreNotFound(client.patch(machineConfigPools, { name }, patch, { signal }))
    return undefined
  } catch (error) {
    if (!isRefused(error)) throw error
    return describeRefusal('the list of its PinnedImageSets', error)
  }
}

async function writeStatus(
  client: KubeClient,
  pool: Readonly<MachineConfigPool>,
  report: Pick<PinnedImagesPlan, 'problem' | 'counts'>,
  signal: AbortSignal,
): Promise<void> {
  const now = timestamp(client.clock.now())
  if (statusAfter(pool, report, now) === pool.status) return
  const change = (current: MachineConfigPool): MachineConfigPool => ({
    ...current,
    status: statusAfter(current, report, now),
  })
  const key = { name: pool.metadata.name }
  await ignoreNotFound(
    modify(client, machineConfigPools, key, change, { subresource: 'status', signal }),
  )
}
