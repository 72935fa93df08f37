import type { Node } from '@machinist/kube/kinds/core'
import { nodeFacts } from '@machinist/kube/nodes/node-facts'
import { isControlPlane } from '../../api/labels.ts'
import type { NodeTrust } from '../../api/kinds/resources.ts'
import type { KubeletTurnsFacts, TurnFacts } from './facts.ts'
import type { GrantedTurns } from './granted-turns.ts'
import type { KubeletTurnsCaches } from './inputs.ts'
import type { HeldTurn, LostTurns } from './lost-turns.ts'

export interface KubeletTurnsSources {
  readonly caches: KubeletTurnsCaches
  readonly grantedTurns: GrantedTurns
  readonly lostTurns: LostTurns
}

/** Gathers the facts of all turns from the caches. */
export function gather({
  caches,
  grantedTurns,
  lostTurns,
}: KubeletTurnsSources): KubeletTurnsFacts {
  const { nodeTrusts, nodes } = caches
  const turns: TurnFacts[] = []
  const held: HeldTurn[] = []
  for (const cached of nodeTrusts.list()) {
    const trust = grantedTurns.newest(cached)
    const { name, uid = '' } = trust.metadata
    const node = nodes.get(name)
    if (!node) continue
    const turn = factsOf(trust, node, grantedTurns.heldMs(trust))
    turns.push(turn)
    if (turn.heldMs !== undefined) held.push({ ...turn, uid })
  }
  const workers = nodes.list().filter(({ metadata }) => !isControlPlane(metadata.labels)).length
  return { turns, workers, lost: lostTurns.among(held) }
}

function factsOf(
  { metadata, spec, status }: Readonly<NodeTrust>,
  node: Readonly<Node>,
  heldMs: number | undefined,
): TurnFacts {
  const { requestedAt, startedAt } = status?.kubeletRestart ?? {}
  return {
    node: node.metadata.name,
    ...(metadata.resourceVersion !== undefined && { version: metadata.resourceVersion }),
    isControlPlane: isControlPlane(node.metadata.labels),
    isReady: nodeFacts(node).notReadySince === undefined,
    ...(requestedAt !== undefined && { requestedAt }),
    isStarted: startedAt !== undefined,
    ...(heldMs !== undefined && { heldMs }),
    wasWithdrawn: spec?.kubeletRestart?.withdrawnAt !== undefined,
  }
}
