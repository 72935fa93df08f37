import { poolConditions } from '../../api/conditions.ts'

/** Reasons of a pool's Updating condition. */
export const updatingReasons = {
  progressing: 'Progressing',
  /** Nodes wait for a blocker that needs help. */
  blocked: 'Blocked',
  /** Too many nodes failed to apply the target. */
  stopped: 'StoppedByFailures',
  /** All nodes were updated, and files of some were changed since. */
  drifted: 'Drifted',
  paused: 'Paused',
  /** Another controller rendered the configs of the nodes. */
  held: 'Held',
  notConfigured: 'NotConfigured',
  building: 'WaitingForImage',
  buildFailed: 'ImageBuildFailed',
} as const

/** A condition of Machinist: the nodeSelector is invalid, or another custom pool selects the same nodes. */
export const selectionDegraded = 'SelectionDegraded'

/** A condition of Machinist: spec.maxUnavailable is invalid. */
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

/** Event on a Node that more than one custom pool selects. */
export const nodeInSeveralPools = 'NodeInSeveralPools'
