import { nodeLabels, taints as taintKeys } from '../../api/labels.ts'
import type { Node, Taint } from '@machinist/kube/kinds/core'

/** One patch of a node; refused by the server when the node is not as it was seen. */
export interface RoleChange {
  readonly metadata: {
    readonly resourceVersion?: string
    /** `null` removes one. */
    readonly labels?: Readonly<Record<string, string | null>>
  }
  /** The whole list; `null` for none, as an empty one would stay behind. */
  readonly spec?: { readonly taints: readonly Taint[] | null }
}

/**
 * Pure: what a node of the control plane lacks. `schedulable` is what the cluster's Scheduler says about ordinary pods on
 * such nodes; where there is no Scheduler nobody has decided, and that is left as it is.
 */
export function decide(
  node: Readonly<Node>,
  schedulable: boolean | undefined,
): RoleChange | undefined {
  if (!isControlPlane(node)) return undefined
  const labels = labelsFor(node, schedulable)
  const taints = schedulable === undefined ? undefined : taintsFor(node, schedulable)
  const isRelabelled = Object.keys(labels).length > 0
  if (!isRelabelled && !taints) return undefined
  const { resourceVersion } = node.metadata
  return {
    metadata: {
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(isRelabelled && { labels }),
    },
    ...(taints && { spec: { taints: taints.length > 0 ? taints : null } }),
  }
}

export const isControlPlane = ({ metadata }: Readonly<Node>): boolean =>
  Object.hasOwn(metadata.labels ?? {}, nodeLabels.master)

function labelsFor(
  { metadata: { labels = {} } }: Readonly<Node>,
  schedulable: boolean | undefined,
): Record<string, string | null> {
  const is = (label: string): boolean => Object.hasOwn(labels, label)
  return {
    ...(!is(nodeLabels.controlPlane) && { [nodeLabels.controlPlane]: '' }),
    ...(schedulable === true && !is(nodeLabels.worker) && { [nodeLabels.worker]: '' }),
    ...(schedulable === false && is(nodeLabels.worker) && { [nodeLabels.worker]: null }),
  }
}

/** Undefined: as they should be. */
function taintsFor({ spec }: Readonly<Node>, schedulable: boolean): Taint[] | undefined {
  const taints = spec?.taints ?? []
  const keepsAway = ({ key, effect }: Taint): boolean =>
    effect === 'NoSchedule' && (key === taintKeys.master || key === taintKeys.controlPlane)
  if (schedulable) {
    const rest = taints.filter((taint) => !keepsAway(taint))
    return rest.length < taints.length ? rest : undefined
  }
  const has = taints.some((taint) => keepsAway(taint) && taint.key === taintKeys.master)
  return has ? undefined : [...taints, { key: taintKeys.master, effect: 'NoSchedule' }]
}
