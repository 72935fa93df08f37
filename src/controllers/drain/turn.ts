import { nodeAnnotations, ownPoolAnnotations } from '../../api/annotations.ts'
import type { MachineConfigPool } from '../../api/resources.ts'
import { machineConfigPools } from '../../api/resources.ts'
import type { CallOptions } from '@machinist/kube/client'
import { ifThere } from '@machinist/kube/failure'
import type { Node } from '@machinist/kube/kinds/core'
import { parseRecord } from '../../fleet/rollout/turns.ts'
import type { DrainWorld } from './world.ts'

/**
 * The pool that has not given this node a turn, so that its drain would not count in the pool's budget; undefined if the
 * drain may begin. The pool is read from the server: a cache may show turns from before a restore of etcd.
 */
export async function poolWithoutTurn(
  { client, poolOf }: Pick<DrainWorld, 'client' | 'poolOf'>,
  node: Readonly<Node>,
  call: CallOptions,
): Promise<string | undefined> {
  const name = poolOf(node)
  if (name === undefined || isTold(node)) return undefined
  const pool = await ifThere(client.get(machineConfigPools, { name }, call))
  return !pool || hasTurn(pool, node.metadata.name) ? undefined : name
}

/** The rollout controller gave it another config than it runs, which it does in turns only. */
function isTold({ metadata }: Readonly<Node>): boolean {
  const said = (key: string): string => metadata.annotations?.[key] ?? ''
  return (
    said(nodeAnnotations.currentConfig) !== said(nodeAnnotations.desiredConfig) ||
    said(nodeAnnotations.currentImage) !== said(nodeAnnotations.desiredImage)
  )
}

export const turnsText = ({ metadata }: Readonly<MachineConfigPool>): string | undefined =>
  metadata.annotations?.[ownPoolAnnotations.rollout]

const hasTurn = (pool: Readonly<MachineConfigPool>, node: string): boolean =>
  parseRecord(turnsText(pool)).turns.has(node)
