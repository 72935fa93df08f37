import { nodeAnnotations, ownNodeAnnotations } from '../../api/annotations.ts'
import { taints as taintKeys } from '../../api/labels.ts'
import type { Taint } from '@machinist/kube/kinds/core'
import type { RolloutFacts } from '../../fleet/rollout/facts.ts'
import type { NodeFacts, Target } from '../../fleet/rollout/node-facts.ts'
import { isToldTo } from '../../fleet/rollout/node-facts.ts'

/** One patch of one node, to be refused by the server when the node is not at `version` any more. */
export interface NodeWrite {
  readonly node: string
  readonly version: string
  /** `null` removes one. */
  readonly annotations?: Readonly<Record<string, string | null>>
  readonly labels?: Readonly<Record<string, string>>
  /** The whole list; taints have no keys that a merge would go by. */
  readonly taints?: readonly Taint[]
  /** It is told what to run; the others are only marked. */
  readonly tells: boolean
}

/** Who is told comes first; the marks on those who wait can wait themselves. */
export function nodeWrites(
  facts: RolloutFacts,
  target: Target,
  chosen: ReadonlySet<NodeFacts>,
  withdrawn: ReadonlySet<NodeFacts>,
): NodeWrite[] {
  const writes = facts.nodes.flatMap(
    (node) => writeOf(node, facts, target, chosen.has(node), withdrawn.has(node)) ?? [],
  )
  return [...writes.filter(({ tells }) => tells), ...writes.filter(({ tells }) => !tells)]
}

function writeOf(
  node: NodeFacts,
  { topology, newcomers }: RolloutFacts,
  target: Target,
  tells: boolean,
  withdraws: boolean,
): NodeWrite | undefined {
  const newcomer = newcomers?.get(node.name)
  const annotations = {
    ...(tells && tellingAnnotations(node, target)),
    ...(withdraws && { [ownNodeAnnotations.withdrawnTurn]: node.version }),
    ...(topology !== undefined &&
      node.topology !== topology && { [nodeAnnotations.controlPlaneTopology]: topology }),
    ...(newcomer && { [nodeAnnotations.customPoolLabelsApplied]: '' }),
  }
  // One that booted into another pool does not wait for this one.
  const taints = newcomer ? undefined : taintsOf(node, tells || isToldTo(node, target))
  const isSaid = Object.keys(annotations).length > 0
  if (!isSaid && !taints) return undefined
  return {
    node: node.name,
    version: node.version,
    ...(isSaid && { annotations }),
    ...(newcomer && { labels: newcomer.labels }),
    ...(taints && { taints }),
    tells,
  }
}

function tellingAnnotations(
  node: NodeFacts,
  { config, layered, image }: Target,
): Record<string, string | null> {
  return {
    [nodeAnnotations.desiredConfig]: config,
    ...(layered && image !== undefined && { [nodeAnnotations.desiredImage]: image }),
    ...(!layered && node.desiredImage !== undefined && { [nodeAnnotations.desiredImage]: null }),
    ...(node.withdrawnTurn !== undefined && { [ownNodeAnnotations.withdrawnTurn]: null }),
  }
}

/** The taint keeps new pods away from nodes that wait for their turn. Undefined: as they should be. */
function taintsOf(node: NodeFacts, isTold: boolean): Taint[] | undefined {
  const rest = node.taints.filter(({ key }) => key !== taintKeys.updateInProgress)
  const isTainted = rest.length < node.taints.length
  if (isTainted !== isTold) return undefined
  return isTold ? rest : [...rest, { key: taintKeys.updateInProgress, effect: 'PreferNoSchedule' }]
}
