import type { Node, Taint } from '@machinist/kube/kinds/core'
import { nodeLabels, taints as taintKeys } from '../../api/labels.ts'
import type { ControlPlaneFacts } from './facts.ts'

/** One patch of a node, guarded by its resourceVersion. */
export interface RoleChange {
  readonly metadata: {
    readonly resourceVersion?: string
    /** `null` removes a label. */
    readonly labels?: Readonly<Record<string, string | null>>
  }
  /** The whole list; `null` removes it, because an empty list would stay. */
  readonly spec?: { readonly taints: readonly Taint[] | null }
}

/** Pure: the missing labels and taints of a control plane node. */
export function decide({ node, schedulable }: ControlPlaneFacts): RoleChange | undefined {
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
  const has = (label: string): boolean => Object.hasOwn(labels, label)
  return {
    ...(!has(nodeLabels.controlPlane) && { [nodeLabels.controlPlane]: '' }),
    ...(schedulable === true && !has(nodeLabels.worker) && { [nodeLabels.worker]: '' }),
    ...(schedulable === false && has(nodeLabels.worker) && { [nodeLabels.worker]: null }),
  }
}

/** Undefined if the taints are correct. */
function taintsFor({ spec }: Readonly<Node>, schedulable: boolean): Taint[] | undefined {
  const taints = spec?.taints ?? []
  const isControlPlaneTaint = ({ key, effect }: Taint): boolean =>
    effect === 'NoSchedule' && (key === taintKeys.master || key === taintKeys.controlPlane)
  if (schedulable) {
    const rest = taints.filter((taint) => !isControlPlaneTaint(taint))
    return rest.length < taints.length ? rest : undefined
  }
  const isTainted = taints.some(
    (taint) => isControlPlaneTaint(taint) && taint.key === taintKeys.master,
  )
  return isTainted ? undefined : [...taints, { key: taintKeys.master, effect: 'NoSchedule' }]
}
