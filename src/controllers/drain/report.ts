import { newMachineConfigNode } from '../../api/kinds/new-machine-config-node.ts'
import type { MachineConfigNode } from '../../api/kinds/resources.ts'
import { machineConfigNodes } from '../../api/kinds/resources.ts'
import type { Logger } from '@machinist/core/log'
import { modify } from '@machinist/kube/client/modify'
import type { CallOptions } from '@machinist/kube/client/client'
import { isAlreadyExists, isNotFound } from '@machinist/kube/failure'
import type { Node } from '@machinist/kube/kinds/core'
import { timestamp } from '@machinist/core/timestamp'
import type { DrainReport } from './conditions.ts'
import { conditionsAfter } from './conditions.ts'
import type { DrainContext } from './context.ts'

/**
 * Writes a report to the node's MachineConfigNode if it changes a condition. A failed write is only logged: it must never block
 * a drain.
 */
export async function reportDrain(
  context: DrainContext,
  node: Readonly<Node>,
  report: DrainReport,
  log: Logger,
  call: CallOptions,
): Promise<void> {
  const { name } = node.metadata
  const now = timestamp(context.clock.now())
  const cached = context.machineConfigNodes.get(name)?.status?.conditions
  if (cached && conditionsAfter(cached, report, now) === cached) return
  const change = (found: MachineConfigNode): MachineConfigNode | undefined => {
    const before = found.status?.conditions ?? []
    const conditions = conditionsAfter(before, report, now)
    if (conditions === before) return undefined
    return { ...found, status: { ...found.status, conditions: [...conditions] } }
  }
  const write = (): Promise<unknown> =>
    modify(context.client, machineConfigNodes, { name }, change, { ...call, subresource: 'status' })
  try {
    try {
      await write()
    } catch (error) {
      if (!isNotFound(error)) throw error
      await create(context, node, call)
      await write()
    }
  } catch (error) {
    if (!call.signal?.aborted) log.error('cannot write the MachineConfigNode', error)
  }
}

async function create(
  { client, poolOf }: DrainContext,
  node: Readonly<Node>,
  call: CallOptions,
): Promise<void> {
  const { name, uid } = node.metadata
  const object = newMachineConfigNode({ name, uid, pool: poolOf(node) })
  try {
    await client.create(machineConfigNodes, object, call)
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
}
