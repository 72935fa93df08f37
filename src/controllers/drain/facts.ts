import type { Node, Pod } from '@machinist/kube/kinds/core'
import type { DrainBlocker } from '../../fleet/drain/blockers.ts'
import type { DrainSettings } from './settings.ts'

/** Everything that a decision about one node reads. */
export interface DrainFacts {
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly node: Readonly<Node>
  readonly settings: DrainSettings
  /** The pool that has not given the node a turn, if the drain has not begun. */
  readonly poolWithoutTurn?: string
  /** The pods on the node; empty while the node is not cordoned for its drain. */
  readonly pods: readonly Readonly<Pod>[]
  readonly missingDaemonSets: ReadonlySet<string>
  /** Why the settings, the turn or the pods of a requested drain could not be read: they are not known. */
  readonly readFailure?: unknown
  /** The blockers that the node's MachineConfigNode names. */
  readonly reported: readonly DrainBlocker[]
}
