import type { CallOptions, KubeClient } from '@machinist/kube/client/client'
import { ignoreNotFound } from '@machinist/kube/failure'
import type { Node } from '@machinist/kube/kinds/core'
import { nodeAnnotations, ownPoolAnnotations } from '../../api/annotations.ts'
import type { MachineConfigPool } from '../../api/kinds/resources.ts'
import { machineConfigPools } from '../../api/kinds/resources.ts'
import { parseRecord } from '../../fleet/rollout/turns.ts'
import type { DrainCaches } from './inputs.ts'

/**
 * The pool that has not given this node a turn, so that its drain would not count against the budget; undefined if the drain may
 * begin. The pool is read from the API server: the cache may show turns from before a restore of etcd.
 */
export async function poolWithoutTurn(
  node: Readonly<Node>,
  { poolOf }: Pick<DrainCaches, 'poolOf'>,
  client: KubeClient,
  call: CallOptions,
): Promise<string | undefined> {
  const name = poolOf(node)
  if (name === undefined || isTargeted(node)) return undefined
  const pool = await ignoreNotFound(client.get(machineConfigPools, { name }, call))
  return !pool || hasTurn(pool, node.metadata.name) ? undefined : name
}

/** desiredConfig differs from currentConfig: the rollout controller sets it only with a turn. */
function isTargeted({ metadata }: Readonly<Node>): boolean {
  const annotation = (key: string): string => metadata.annotations?.[key] ?? ''
  return (
    annotation(nodeAnnotations.currentConfig) !== annotation(nodeAnnotations.desiredConfig) ||
    annotation(nodeAnnotations.currentImage) !== annotation(nodeAnnotations.desiredImage)
  )
}

export const turnsText = ({ metadata }: Readonly<MachineConfigPool>): string | undefined =>
  metadata.annotations?.[ownPoolAnnotations.rollout]

const hasTurn = (pool: Readonly<MachineConfigPool>, node: string): boolean =>
  parseRecord(turnsText(pool)).turns.has(node)
