import type { NodeState } from '../../../api/annotations.ts'
import type { MachineConfig } from '../../../api/kinds/resources.ts'
import type { InterruptedUpdate, Update } from '../../apply/update.ts'

/** The next action of the daemon and the reason for it. */
export interface FollowDecision {
  /** The name of the check that decided. */
  readonly check: string
  /** The reason as one sentence, for users. */
  readonly why: string
  readonly next: NextAction
  /** The state to set on the Node during the action; absent: the state stays as it is. */
  readonly report?: StateReport
}

/** The result of a check; the chain adds the name of the check. */
export type CheckResult = Omit<FollowDecision, 'check'>

export type NextAction =
  /** Do nothing until an input changes. */
  | { readonly action: 'ignore' }
  /** Do nothing until an input changes or the time has passed. */
  | { readonly action: 'wait'; readonly forMs?: number; readonly event?: string }
  | { readonly action: 'adopt'; readonly annotations: Readonly<Record<string, string>> }
  /** Set desiredConfig to the config on disk; the rollout controller gives the node another turn. */
  | { readonly action: 'stay'; readonly config: string; readonly image?: string }
  | { readonly action: 'storeConfig'; readonly config: MachineConfig; readonly image?: string }
  | { readonly action: 'resume'; readonly interrupted: InterruptedUpdate }
  /** Compare the disk with its config, then decide again. */
  | { readonly action: 'verify'; readonly config: MachineConfig }
  | { readonly action: 'requestDrain'; readonly value: string }
  | { readonly action: 'update'; readonly update: Update; readonly healing: boolean }
  /** Request the uncordon. */
  | { readonly action: 'complete'; readonly value: string }
  | { readonly action: 'done' }
  /** A person should know; tried again after a while all the same. `event` is the reason of one about it. */
  | { readonly action: 'degrade'; readonly event?: string }
  | { readonly action: 'unreconcilable' }

export interface StateReport {
  readonly state: NodeState
  /** Absent: the reason stays unchanged. */
  readonly reason?: string
  /** The config on disk, if the Node does not report it yet. */
  readonly current?: { readonly config: string; readonly image?: string }
}
