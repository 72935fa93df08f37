import { Waiting } from '@machinist/core/errors'
import type { StepContext } from '@machinist/kube/controller/step-controller'
import { isConflict, isNotFound } from '@machinist/kube/failure'
import { catchUpMs } from '@machinist/kube/informer/catch-up'
import type { Node } from '@machinist/kube/kinds/core'
import { nodes } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import type { OwnWrites } from '@machinist/kube/informer/own-writes'
import { ownPoolAnnotations } from '../../api/annotations.ts'
import type { MachineConfigPool } from '../../api/kinds/resources.ts'
import { machineConfigPools } from '../../api/kinds/resources.ts'
import type { RolloutRecord } from '../../fleet/rollout/turns.ts'
import { formatRecord } from '../../fleet/rollout/turns.ts'
import type { RolloutPlan } from './decide.ts'
import type { NodeWrite } from './node-writes.ts'

export interface RolloutWriteContext extends Pick<StepContext, 'client' | 'log' | 'signal'> {
  readonly writtenPools: OwnWrites<MachineConfigPool>
  readonly writtenNodes: OwnWrites<Node>
}

export interface RolloutResult {
  /** Nodes whose desiredConfig was set. */
  readonly targeted: readonly string[]
  /** Nodes that another writer changed in between; the next reconcile decides about them. */
  readonly conflicting: readonly string[]
  readonly failures: readonly unknown[]
}

const atOnce = 16

/** Writes the turns to the pool before any node. Then writes all nodes; a failed write does not stop the others. */
export async function act(plan: RolloutPlan, context: RolloutWriteContext): Promise<RolloutResult> {
  if (plan.record) await writeRecord(context, plan, plan.record)
  else if (plan.writes.some(({ setsTarget }) => setsTarget)) await confirmRecord(context, plan)
  const targeted: string[] = []
  const conflicting: string[] = []
  const failures: unknown[] = []
  const left = plan.writes.values()
  const worker = async (): Promise<void> => {
    for (const write of left) {
      try {
        context.writtenNodes.remember(await writeNode(context, write))
        if (write.setsTarget) targeted.push(write.node)
      } catch (error) {
        if (isConflict(error) || isNotFound(error)) {
          context.writtenNodes.forget(write.node)
          conflicting.push(write.node)
        } else failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, plan.writes.length) }, worker))
  if (targeted.length > 0) {
    const pool = plan.situation.facts.pool.metadata.name
    context.log.info('set desiredConfig', { pool, nodes: targeted.join() })
  }
  return { targeted, conflicting, failures }
}

async function writeRecord(
  context: RolloutWriteContext,
  plan: RolloutPlan,
  record: RolloutRecord,
): Promise<void> {
  const { pool } = plan.situation.facts
  const isEmpty = record.turns.size === 0 && record.took.length === 0
  const text = isEmpty ? null : formatRecord(record)
  await patchPool(context, pool, {
    metadata: { annotations: { [ownPoolAnnotations.rollout]: text } },
  })
}

/** An older turn is valid only on the newest pool: after a restore of etcd the API server may not have it. */
const confirmRecord = (context: RolloutWriteContext, plan: RolloutPlan): Promise<void> =>
  patchPool(context, plan.situation.facts.pool, {})

/** Patches the version of the pool that was read. */
export async function patchPool(
  { client, signal, writtenPools }: Pick<RolloutWriteContext, 'client' | 'signal' | 'writtenPools'>,
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
    throw new Waiting('PoolChanged', `pool ${name} changed during the reconcile`, catchUpMs)
  }
}

function writeNode({ client, signal }: RolloutWriteContext, write: NodeWrite): Promise<Node> {
  const { node: name, version: resourceVersion, annotations, labels, taints } = write
  const metadata = {
    resourceVersion,
    ...(annotations && { annotations }),
    ...(labels && { labels }),
  }
  // A merge patch with an empty list would leave an empty list.
  const spec = taints && { taints: taints.length > 0 ? taints : null }
  return client.patch(nodes, { name }, mergePatch({ metadata, ...(spec && { spec }) }), { signal })
}
