import type { Node, Pod } from '@machinist/kube/kinds/core'
import type { DrainBlocker } from '../../fleet/drain/blockers.ts'
import type { DrainRecord } from './record.ts'
import type { DrainSettings } from './settings.ts'

/** Everything that a decision about one node reads. */
export interface DrainFacts {
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly node: Readonly<Node> | undefined
  readonly settings: DrainSettings
  /** The pool that has not given the node a turn, if the drain has not begun. */
  readonly poolWithoutTurn?: string
  /** The pods on the node; empty while the node is not cordoned for its drain. */
  readonly pods: readonly Readonly<Pod>[]
  readonly missingDaemonSets: ReadonlySet<string>
  /** The blockers that the node's MachineConfigNode names. */
  readonly reported: readonly DrainBlocker[]
}

/** The next step, with the check that decided and its reason. */
export interface DrainDecision extends DrainResult {
  readonly check: string
}

/** The result of one check. */
export interface DrainResult {
  readonly why: string
  readonly next: DrainAction
}

export type DrainAction =
  | { readonly action: 'nothing' }
  /** The request is invalid: its writer must correct it. */
  | { readonly action: 'reject' }
  /** Until the pool gives the node a turn. */
  | { readonly action: 'wait' }
  | { readonly action: 'cordon'; readonly record: DrainRecord }
  | ({ readonly action: 'evict' } & EvictionStep)
  | { readonly action: 'uncordon' }
  | { readonly action: 'acknowledge'; readonly value: string; readonly cordonKept?: boolean }

/** One step of a drain: the pods to evict now, and those that remain. */
export interface EvictionStep {
  /** Pods to evict or delete now; none while the drain pauses. */
  readonly pods: readonly Readonly<Pod>[]
  readonly method: 'evict' | 'delete'
  readonly graceSeconds?: number
  /** All pods that must leave the node, including terminating ones. */
  readonly remaining: readonly Readonly<Pod>[]
  readonly ageMs: number
  readonly pausing: boolean
  /** Whether this is the first step of an attempt. */
  readonly begins: boolean
  /** The time until the phase changes: the attempt ends, the pause ends, or deletion is allowed. */
  readonly phaseEndsInMs: number
  readonly overdue: boolean
}
