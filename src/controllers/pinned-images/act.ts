import type { MachineConfigPool } from '../../api/resources.ts'
import { machineConfigPools } from '../../api/resources.ts'
import { timestamp } from '@machinist/core/timestamp'
import { modify } from '@machinist/kube/client-modify'
import type { KubeClient } from '@machinist/kube/client'
import { ifThere, isRefused, refusalInWords } from '@machinist/kube/failure'
import { mergePatch } from '@machinist/kube/patch'
import type { Plan } from './decide.ts'
import { statusAfter } from './decide.ts'

/** The list first, then one write of what is to be told, also about the list. */
export async function act(
  client: KubeClient,
  pool: Readonly<MachineConfigPool>,
  plan: Plan,
  signal: AbortSignal,
): Promise<{ readonly refused: boolean }> {
  const refusal = await writeList(client, pool, plan, signal)
  const problem = plan.problem ?? refusal
  const told = { counts: plan.counts, ...(problem !== undefined && { problem }) }
  await writeStatus(client, pool, told, signal)
  return { refused: refusal !== undefined }
}

/** Why the server refused it, if it did: nobody but a person can mend that. */
async function writeList(
  client: KubeClient,
  { metadata: { name } }: Readonly<MachineConfigPool>,
  { list }: Plan,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (list === undefined) return undefined
  const patch = mergePatch({ spec: { pinnedImageSets: list } })
  try {
    await ifThere(client.patch(machineConfigPools, { name }, patch, { signal }))
    return undefined
  } catch (error) {
    if (!isRefused(error)) throw error
    return refusalInWords('the list of its PinnedImageSets', error)
  }
}

async function writeStatus(
  client: KubeClient,
  pool: Readonly<MachineConfigPool>,
  told: Pick<Plan, 'problem' | 'counts'>,
  signal: AbortSignal,
): Promise<void> {
  const now = timestamp(client.clock.now())
  if (statusAfter(pool, told, now) === pool.status) return
  const change = (current: MachineConfigPool): MachineConfigPool => ({
    ...current,
    status: statusAfter(current, told, now),
  })
  const key = { name: pool.metadata.name }
  await ifThere(modify(client, machineConfigPools, key, change, { subresource: 'status', signal }))
}
