import { timestamp } from '@machinist/core/timestamp'
import type { CallOptions, KubeClient } from '@machinist/kube/client/client'
import { modify } from '@machinist/kube/client/modify'
import type { StepContext } from '@machinist/kube/controller/step-controller'
import { isAlreadyExists, isNotFound } from '@machinist/kube/failure'
import type { Node } from '@machinist/kube/kinds/core'
import { newMachineConfigNode } from '../../api/kinds/new-machine-config-node.ts'
import type { MachineConfigNode } from '../../api/kinds/resources.ts'
import { machineConfigNodes } from '../../api/kinds/resources.ts'
import type { DrainReport } from './conditions.ts'
import { conditionsAfter } from './conditions.ts'
import type { DrainCaches } from './inputs.ts'
import { requestMs } from './timing.ts'

export interface WriteReportContext extends Pick<
  StepContext,
  'client' | 'clock' | 'log' | 'signal'
> {
  readonly caches: Pick<DrainCaches, 'machineConfigNodes' | 'poolOf'>
}

/**
 * Writes a report to the node's MachineConfigNode if it changes a condition. A failed write is only logged: it must never block
 * a drain.
 */
export async function writeReport(
  report: DrainReport,
  node: Readonly<Node>,
  { client, clock, log, signal, caches }: WriteReportContext,
): Promise<void> {
  const { name } = node.metadata
  const call = { signal, timeoutMs: requestMs }
  const now = timestamp(clock.now())
  const cached = caches.machineConfigNodes.get(name)?.status?.conditions
  if (cached && conditionsAfter(cached, report, now) === cached) return
  const change = (found: MachineConfigNode): MachineConfigNode | undefined => {
    const before = found.status?.conditions ?? []
    const conditions = conditionsAfter(before, report, now)
    if (conditions === before) return undefined
    return { ...found, status: { ...found.status, conditions: [...conditions] } }
  }
  const write = (): Promise<unknown> =>
    modify(client, machineConfigNodes, { name }, change, { ...call, subresource: 'status' })
  try {
    try {
      await write()
    } catch (error) {
      if (!isNotFound(error)) throw error
      await create(node, caches.poolOf(node), client, call)
      await write()
    }
  } catch (error) {
    if (!signal.aborted) log.error('cannot write the MachineConfigNode', error)
  }
}

async function create(
  { metadata: { name, uid } }: Readonly<Node>,
  pool: string | undefined,
  client: KubeClient,
  call: CallOptions,
): Promise<void> {
  try {
    await client.create(machineConfigNodes, newMachineConfigNode({ name, uid, pool }), call)
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
}
