import type { Node, Pod } from '@machinist/kube/kinds/core'
import type { Blocker } from '../../fleet/drain/blockers.ts'
import type { DrainRecord } from './record.ts'
import type { Settings } from './settings.ts'

/** All that a decision about one node is made of. */
export interface Facts {
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly node: Readonly<Node> | undefined
  readonly settings: Settings
  /** The pool that has not given the node a turn for a drain that is about to begin. */
  readonly poolWithoutTurn?: string
  /** What is on the node; not looked for while the node is not cordoned for its drain. */
  readonly pods: readonly Readonly<Pod>[]
  readonly missingDaemonSets: ReadonlySet<string>
  /** Whom the node's MachineConfigNode names as in the way. */
  readonly told: readonly Blocker[]
}

/** What to do, and the policy that asks for it: the first one that does not hold is the explanation. */
export interface Decision {
  readonly policy: string
  readonly why: string
  readonly next: Next
}

export type Next =
  | { readonly do: 'nothing' }
  /** Nobody but a person can help. */
  | { readonly do: 'complain' }
  /** Until the node's pool gives it a turn. */
  | { readonly do: 'refuse' }
  | { readonly do: 'cordon'; readonly record: DrainRecord }
  | ({ readonly do: 'move' } & Move)
  | { readonly do: 'uncordon' }
  | { readonly do: 'acknowledge'; readonly value: string; readonly cordonKept?: boolean }

/** One step of a drain: what to ask for now, and what is still there. */
export interface Move {
  /** To be asked to leave, and how. None while the drain rests. */
  readonly pods: readonly Readonly<Pod>[]
  readonly how: 'evict' | 'delete'
  readonly graceSeconds?: number
  /** Everything that has to leave and has not: `pods`, those on their way, and while resting all of them. */
  readonly remaining: readonly Readonly<Pod>[]
  readonly ageMs: number
  readonly resting: boolean
  /** The first step of an attempt. */
  readonly begins: boolean
  /** When the turn changes: the attempt ends, the rest is over, or force may be used. */
  readonly turnsInMs: number
  readonly overdue: boolean
}
