import type { Node } from '@machinist/kube/kinds/core'

/** Everything that determines the labels and taints of a control plane node. */
export interface ControlPlaneFacts {
  readonly node: Readonly<Node>
  /** spec.mastersSchedulable of the Scheduler; without a Scheduler the worker label and the taints are not changed. */
  readonly schedulable: boolean | undefined
}
