import { ownPoolAnnotations } from '../../api/annotations.ts'
import type { MachineConfigPoolStatus } from '../../api/kinds/machine-config-pool.ts'
import type { MachineConfigPool } from '../../api/resources.ts'
import { machineConfigPools } from '../../api/resources.ts'
import { Waiting } from '@machinist/core/errors'
import { sameJson } from '@machinist/core/json'
import type { KubeClient } from '@machinist/kube/client'
import { isConflict, isNotFound } from '@machinist/kube/failure'
import { catchUpMs } from '@machinist/kube/informer/catch-up'
import type { Node } from '@machinist/kube/kinds/core'
import { nodes } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import type { RolloutPlan } from './decide.ts'
import type { NodeWrite } from './node-writes.ts'
import type { OwnWrites } from '@machinist/kube/informer/own-writes'
import type { RolloutRecord } from '../../fleet/rollout/turns.ts'
import { formatRecord } from '../../fleet/rollout/turns.ts'

export interface Pen {
  readonly client: KubeClient
  readonly writtenPools: OwnWrites<MachineConfigPool>
  readonly writtenNodes: OwnWrites<Node>
  readonly signal?: AbortSignal
}

export interface Acted {
  readonly told: readonly string[]
  /** Somebody else wrote the node in between: decided anew when the cache has caught up. */
  readonly late: readonly string[]
  readonly failures: readonly unknown[]
}

const atOnce = 16

/** Gives the turns first: nobody is told before the pool says so. Then all nodes; one that fails stops no other. */
export async function act(pen: Pen, plan: RolloutPlan): Promise<Acted> {
  if (plan.record) await writeRecord(pen, plan, plan.record)
  else if (plan.writes.some(({ tells }) => tells)) await confirmRecord(pen, plan)
  const told: string[] = []
  const late: string[] = []
  const failures: unknown[] = []
  const left = plan.writes.values()
  const worker = async (): Promise<void> => {
    for (const write of left) {
      try {
        pen.writtenNodes.remember(await writeNode(pen, write))
        if (write.tells) told.push(write.node)
      } catch (error) {
        if (isConflict(error) || isNotFound(error)) {
          pen.writtenNodes.forget(write.node)
          late.push(write.node)
        } else failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, plan.writes.length) }, worker))
  return { told, late, failures }
}

/** One patch, and none when the pool says all of it already. */
export async function writeStatus(
  pen: Pen,
  plan: RolloutPlan,
  status: MachineConfigPoolStatus,
): Promise<void> {
  const before = plan.situation.facts.pool
  if (sameJson(status, before.status)) return
  const newest = pen.writtenPools.newest(before.metadata.name, before) ?? before
  await patchPool(pen, newest, { status }, 'status')
}

async function writeRecord(pen: Pen, plan: RolloutPlan, record: RolloutRecord): Promise<void> {
  const { pool } = plan.situation.facts
  const isEmpty = record.turns.size === 0 && record.took.length === 0
  const text = isEmpty ? null : formatRecord(record)
  await patchPool(pen, pool, { metadata: { annotations: { [ownPoolAnnotations.rollout]: text } } })
}

/** A turn that was given before is only good on the newest pool: after a restore of etcd the server may not have it. */
const confirmRecord = (pen: Pen, plan: RolloutPlan): Promise<void> =>
  patchPool(pen, plan.situation.facts.pool, {})

async function patchPool(
  { client, signal, writtenPools }: Pen,
  pool: Readonly<MachineConfigPool>,
  change: { readonly metadata?: object; readonly status?: object },
  subresource?: 'status',
): Promise<void> {
  const { name, resourceVersion } = pool.metadata
  const body = { ...change, metadata: { ...change.metadata, resourceVersion } }
  try {
    const options = { signal, ...(subresource && { subresource }) }
    writtenPools.remember(
      await client.patch(machineConfigPools, { name }, mergePatch(body), options),
    )
  } catch (error) {
    if (!isConflict(error)) throw error
    writtenPools.forget(name)
    throw new Waiting('PoolChanged', `pool ${name} was changed in between`, catchUpMs)
  }
}

function writeNode({ client, signal }: Pen, write: NodeWrite): Promise<Node> {
  const { node: name, version: resourceVersion, annotations, labels, taints } = write
  const metadata = {
    resourceVersion,
    ...(annotations && { annotations }),
    ...(labels && { labels }),
  }
  // An empty list would stay behind as one.
  const spec = taints && { taints: taints.length > 0 ? taints : null }
  return client.patch(nodes, { name }, mergePatch({ metadata, ...(spec && { spec }) }), { signal })
}
