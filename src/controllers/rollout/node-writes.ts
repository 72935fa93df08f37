import type { Taint } from '@machinist/kube/kinds/core'
import { nodeAnnotations, ownNodeAnnotations } from '../../api/annotations.ts'
import { taints as taintKeys } from '../../api/labels.ts'
import type { RolloutFacts } from '../../fleet/rollout/facts.ts'
import type { NodeFacts, RolloutTarget } from '../../fleet/rollout/node-facts.ts'
import { isTargetedAt } from '../../fleet/rollout/node-facts.ts'

/** One patch of one node. The API server rejects it if the node is no longer at `version`. */
export interface NodeWrite {
  readonly node: string
  readonly version: string
  /** `null` removes an annotation. */
  readonly annotations?: Readonly<Record<string, string | null>>
  readonly labels?: Readonly<Record<string, string>>
  /** The whole list: a merge patch replaces lists. */
  readonly taints?: readonly Taint[]
  /** Sets desiredConfig; other writes only set taints, labels and other annotations. */
  readonly setsTarget: boolean
}

/** Writes that set desiredConfig first; taints of waiting nodes are less urgent. */
export function nodeWrites(
  facts: RolloutFacts,
  target: RolloutTarget,
  chosen: ReadonlySet<NodeFacts>,
  withdrawn: ReadonlySet<NodeFacts>,
): NodeWrite[] {
  const writes = facts.nodes.flatMap(
    (node) => writeOf(node, facts, target, chosen.has(node), withdrawn.has(node)) ?? [],
  )
  return [
    ...writes.filter(({ setsTarget }) => setsTarget),
    ...writes.filter(({ setsTarget }) => !setsTarget),
  ]
}

function writeOf(
  node: NodeFacts,
  { topology, newcomers }: RolloutFacts,
  target: RolloutTarget,
  setsTarget: boolean,
  withdrawsTurn: boolean,
): NodeWrite | undefined {
  const newcomer = newcomers?.get(node.name)
  const annotations = {
    ...(setsTarget && targetAnnotations(node, target)),
    ...(withdrawsTurn && { [ownNodeAnnotations.withdrawnTurn]: node.version }),
    ...(topology !== undefined &&
      node.topology !== topology && { [nodeAnnotations.controlPlaneTopology]: topology }),
    ...(newcomer && { [nodeAnnotations.customPoolLabelsApplied]: '' }),
  }
  // A node that booted into another pool does not wait for an update of this one.
  const taints = newcomer ? undefined : taintsOf(node, setsTarget || isTargetedAt(node, target))
  const hasAnnotations = Object.keys(annotations).length > 0
  if (!hasAnnotations && !taints) return undefined
  return {
    node: node.name,
    version: node.version,
    ...(hasAnnotations && { annotations }),
    ...(newcomer && { labels: newcomer.labels }),
    ...(taints && { taints }),
    setsTarget,
  }
}

function targetAnnotations(
  node: NodeFacts,
  { config, layered, image }: RolloutTarget,
): Record<string, string | null> {
  return {
    [nodeAnnotations.desiredConfig]: config,
    ...(layered && image !== undefined && { [nodeAnnotations.desiredImage]: image }),
    ...(!layered && node.desiredImage !== undefined && { [nodeAnnotations.desiredImage]: null }),
    ...(node.withdrawnTurn !== undefined && { [ownNodeAnnotations.withdrawnTurn]: null }),
  }
}

/** Nodes that wait for their update get a taint that keeps new pods away. Undefined if the taints are correct. */
function taintsOf(node: NodeFacts, isTargeted: boolean): Taint[] | undefined {
  const rest = node.taints.filter(({ key }) => key !== taintKeys.updateInProgress)
  const isTainted = rest.length < node.taints.length
  if (isTainted !== isTargeted) return undefined
  return isTargeted
    ? rest
    : [...rest, { key: taintKeys.updateInProgress, effect: 'PreferNoSchedule' }]
}
