import { timestamp } from '@machinist/core/timestamp'
import { modify } from '@machinist/kube/client/modify'
import type { Pass, StepContext } from '@machinist/kube/controller/step-controller'
import { ignoreNotFound } from '@machinist/kube/failure'
import type { MachineConfigPool } from '../../api/kinds/resources.ts'
import { machineConfigPools } from '../../api/kinds/resources.ts'
import type { PinnedImagesResult } from './act.ts'
import type { PinnedImagesPlan } from './decide.ts'
import type { PinnedImagesFacts } from './facts.ts'
import type { NodesBehind } from './nodes-behind.ts'
import type { PinnedImagesReport } from './status.ts'
import { statusAfter } from './status.ts'

export type PinnedImagesPass = Pass<PinnedImagesFacts, PinnedImagesPlan, PinnedImagesResult>

/** The metric, and one write of the pool's status, or none if it is up to date. */
export async function report(
  pass: PinnedImagesPass,
  context: Pick<StepContext, 'client' | 'clock' | 'signal'>,
  behind: NodesBehind,
): Promise<void> {
  const { key, facts, plan } = pass
  behind.set(key, plan.counts)
  // The retry shows whether the pool has the list.
  if (pass.type === 'failed') return
  const problem = plan.problem ?? pass.result.refusal
  const { counts } = plan
  await writeStatus(facts.pool, { counts, ...(problem !== undefined && { problem }) }, context)
}

async function writeStatus(
  pool: Readonly<MachineConfigPool>,
  reported: PinnedImagesReport,
  { client, clock, signal }: Pick<StepContext, 'client' | 'clock' | 'signal'>,
): Promise<void> {
  const now = timestamp(clock.now())
  if (statusAfter(pool, reported, now) === pool.status) return
  const change = (current: MachineConfigPool): MachineConfigPool => ({
    ...current,
    status: statusAfter(current, reported, now),
  })
  const key = { name: pool.metadata.name }
  await ignoreNotFound(
    modify(client, machineConfigPools, key, change, { subresource: 'status', signal }),
  )
}
