import { newMachineConfigNode } from '../../api/new-machine-config-node.ts'
import type { MachineConfigNode } from '../../api/resources.ts'
import { machineConfigNodes } from '../../api/resources.ts'
import type { Logger } from '@machinist/core/log'
import { modify } from '@machinist/kube/client-modify'
import type { CallOptions } from '@machinist/kube/client'
import { isAlreadyExists, isNotFound } from '@machinist/kube/failure'
import type { Node } from '@machinist/kube/kinds/core'
import { timestamp } from '@machinist/core/timestamp'
import type { Report } from './reports.ts'
import { conditionsAfter } from './reports.ts'
import type { DrainWorld } from './world.ts'

/**
 * Tells a node's MachineConfigNode, where that is news. That it cannot be told is never a reason for a drain to wait or
 * to fail.
 */
export async function tell(
  world: DrainWorld,
  node: Readonly<Node>,
  report: Report,
  log: Logger,
  call: CallOptions,
): Promise<void> {
  const { name } = node.metadata
  const now = timestamp(world.clock.now())
  const known = world.machineConfigNodes.get(name)?.status?.conditions
  if (known && conditionsAfter(known, report, now) === known) return
  const change = (found: MachineConfigNode): MachineConfigNode | undefined => {
    const before = found.status?.conditions ?? []
    const conditions = conditionsAfter(before, report, now)
    if (conditions === before) return undefined
    return { ...found, status: { ...found.status, conditions: [...conditions] } }
  }
  const write = (): Promise<unknown> =>
    modify(world.client, machineConfigNodes, { name }, change, { ...call, subresource: 'status' })
  try {
    try {
      await write()
    } catch (error) {
      if (!isNotFound(error)) throw error
      await create(world, node, call)
      await write()
    }
  } catch (error) {
    if (!call.signal?.aborted) log.error('cannot tell the MachineConfigNode', error)
  }
}

async function create(
  { client, poolOf }: DrainWorld,
  node: Readonly<Node>,
  call: CallOptions,
): Promise<void> {
  const { name, uid } = node.metadata
  const made = newMachineConfigNode({ name, uid, pool: poolOf(node) })
  try {
    await client.create(machineConfigNodes, made, call)
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
}
