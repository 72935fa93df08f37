import { nodeAnnotations } from '../../api/annotations.ts'
import { taints as taintKeys } from '../../api/labels.ts'
import type { Taint } from '../../kube/kinds/core.ts'
import type { RolloutFacts } from './facts.ts'
import type { NodeFacts, Target } from './node-facts.ts'
import { isToldTo } from './node-facts.ts'

/** One patch of one node, to be refused by the server when the node is not at `version` any more. */
export interface NodeWrite {
  readonly node: string
  readonly version: string
  /** `null` removes one. */
  readonly annotations?: Readonly<Record<string, string | null>>
  /** The whole list; taints have no keys that a merge would go by. */
  readonly taints?: readonly Taint[]
  /** It is told what to run; the others are only marked. */
  readonly tells: boolean
}

/** Who is told comes first; the marks on those who wait can wait themselves. */
export function nodeWrites(
  { nodes, topology }: RolloutFacts,
  target: Target,
  chosen: ReadonlySet<NodeFacts>,
): NodeWrite[] {
  const telling: NodeWrite[] = []
  const marking: NodeWrite[] = []
  for (const node of nodes) {
    const tells = chosen.has(node)
    const annotations = {
      ...(tells && tellingAnnotations(node, target)),
      ...(topology !== undefined &&
        node.topology !== topology && { [nodeAnnotations.controlPlaneTopology]: topology }),
    }
    const taints = taintsOf(node, tells || isToldTo(node, target))
    const isSaid = Object.keys(annotations).length > 0
    if (!isSaid && !taints) continue
    const write = {
      node: node.name,
      version: node.version,
      ...(isSaid && { annotations }),
      ...(taints && { taints }),
      tells,
    }
    if (tells) telling.push(write)
    else marking.push(write)
  }
  return [...telling, ...marking]
}

function tellingAnnotations(
  node: NodeFacts,
  { config, layered, image }: Target,
): Record<string, string | null> {
  return {
    [nodeAnnotations.desiredConfig]: config,
    ...(layered && image !== undefined && { [nodeAnnotations.desiredImage]: image }),
    ...(!layered && node.desiredImage !== undefined && { [nodeAnnotations.desiredImage]: null }),
  }
}

/** The taint keeps new pods away from nodes that wait for their turn. Undefined: as they should be. */
function taintsOf(node: NodeFacts, isTold: boolean): Taint[] | undefined {
  const rest = node.taints.filter(({ key }) => key !== taintKeys.updateInProgress)
  const isTainted = rest.length < node.taints.length
  if (isTainted !== isTold) return undefined
  return isTold ? rest : [...rest, { key: taintKeys.updateInProgress, effect: 'PreferNoSchedule' }]
}
