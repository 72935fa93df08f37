import { poolConditions } from '../../api/conditions.ts'

/** Why a pool's Updating condition is what it is. */
export const updatingReasons = {
  progressing: 'Progressing',
  /** Nodes wait, and something that does not end by itself is in their way. */
  blocked: 'Blocked',
  /** Too many nodes failed in the new configuration. */
  stopped: 'StoppedByFailures',
  /** All nodes were updated, and the files of some were changed since. */
  drifted: 'Drifted',
  paused: 'Paused',
  /** Another controller rendered what the nodes are in. */
  held: 'Held',
  notConfigured: 'NotConfigured',
  building: 'WaitingForImage',
  buildFailed: 'ImageBuildFailed',
} as const

/** A condition of ours: the pool's selector is unusable, or shares nodes with that of another custom pool. */
export const selectionDegraded = 'SelectionDegraded'

/** A condition of ours: spec.maxUnavailable cannot be used. */
export const budgetDegraded = 'BudgetDegraded'

/** The conditions that make a pool Degraded. */
export const degradedBy: readonly string[] = [
  poolConditions.nodeDegraded,
  poolConditions.renderDegraded,
  poolConditions.pinnedImageSetsDegraded,
  poolConditions.imageBuildDegraded,
  selectionDegraded,
  budgetDegraded,
]

/** On a node that more than one custom pool selects. */
export const nodeInSeveralPools = 'NodeInSeveralPools'
