import type { KubeClient } from '@machinist/kube/client/client'
import { ignoreNotFound } from '@machinist/kube/failure'
import { isOlder } from '@machinist/kube/informer/version-order'
import { nodes as nodeResource } from '@machinist/kube/kinds/core'
import { ownPoolAnnotations } from '../../api/annotations.ts'
import type { MachineConfigPool } from '../../api/kinds/resources.ts'
import type { NodeFacts } from '../../fleet/rollout/node-facts.ts'
import { factsOf } from '../../fleet/rollout/node-facts.ts'
import type { RolloutRecord, Turn } from '../../fleet/rollout/turns.ts'
import { parseRecord, turnState } from '../../fleet/rollout/turns.ts'

export const recordOf = (pool: Readonly<MachineConfigPool> | undefined): RolloutRecord =>
  parseRecord(pool?.metadata.annotations?.[ownPoolAnnotations.rollout])

export interface SeenTurns {
  /** The cached nodes; those whose turn seems to have ended as the API server has them. */
  readonly nodes: readonly NodeFacts[]
  /** Nodes whose newest version is older than the one in their turn. */
  readonly restored: ReadonlySet<string>
}

const atOnce = 16

/**
 * Turns allow for a stale cache; but after a restore of etcd the cache may also show lost state. So a turn ends only by the
 * node that the API server returns. Versions decrease only by such a restore: a turn decided on lost state would wait forever
 * for a newer version, and is void.
 */
export async function seenTurns(
  client: KubeClient,
  { turns }: RolloutRecord,
  cached: readonly NodeFacts[],
  signal?: AbortSignal,
): Promise<SeenTurns> {
  if (turns.size === 0) return { nodes: cached, restored: new Set() }
  const newest = new Map<string, NodeFacts | undefined>()
  const left = cached.filter((node) => isInDoubt(turns.get(node.name), node)).values()
  const worker = async (): Promise<void> => {
    for (const { name } of left) {
      const node = await ignoreNotFound(client.get(nodeResource, { name }, { signal }))
      newest.set(name, node && factsOf(node))
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, turns.size) }, worker))
  const seen = cached.flatMap((node) =>
    newest.has(node.name) ? (newest.get(node.name) ?? []) : node,
  )
  const restored = seen.filter((node) => {
    const turn = newest.has(node.name) ? turns.get(node.name) : undefined
    return turn && isOlder(node.version, turn.from) === true
  })
  return { nodes: seen, restored: new Set(restored.map(({ name }) => name)) }
}

function isInDoubt(turn: Turn | undefined, node: NodeFacts): boolean {
  const state = turn && turnState(turn, node)
  if (!state) return false
  return state.type === 'over' || state.type === 'void' || (state.type === 'given' && !state.retry)
}
