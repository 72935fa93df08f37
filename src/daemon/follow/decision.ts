import type { NodeState } from '../../api/annotations.ts'
import type { MachineConfig } from '../../api/resources.ts'
import type { Interrupted, Update } from '../apply/update.ts'

/** What the daemon does next, and why. The first policy that has something to say makes it. */
export interface Decision {
  /** Which policy decided. */
  readonly policy: string
  /** One sentence for people. */
  readonly why: string
  readonly next: Next
  /** What the Node shall say while that is done; absent: what it says already. */
  readonly report?: StateReport
}

export type Next =
  /** Nothing, until something changes. */
  | { readonly do: 'ignore' }
  /** Nothing, until something changes or time has passed. */
  | { readonly do: 'wait'; readonly forMs?: number; readonly event?: string }
  | { readonly do: 'adopt'; readonly annotations: Readonly<Record<string, string>> }
  /** The Node desires what the disk is in, until a turn says otherwise. */
  | { readonly do: 'stay'; readonly config: string; readonly image?: string }
  | { readonly do: 'storeConfig'; readonly config: MachineConfig; readonly image?: string }
  | { readonly do: 'resume'; readonly interrupted: Interrupted }
  /** Compare the disk with the config that it should be in, then decide again. */
  | { readonly do: 'verify'; readonly config: MachineConfig }
  | { readonly do: 'requestDrain'; readonly value: string }
  | { readonly do: 'update'; readonly update: Update; readonly healing: boolean }
  /** Pods may come back. */
  | { readonly do: 'complete'; readonly value: string }
  | { readonly do: 'done' }
  /** A person should know; tried again after a while all the same. `event` is the reason of one about it. */
  | { readonly do: 'degrade'; readonly event?: string }
  | { readonly do: 'unreconcilable' }

export interface StateReport {
  readonly state: NodeState
  /** Absent: stays as it is. */
  readonly reason?: string
  /** What the disk is in, where the Node does not say so yet. */
  readonly current?: { readonly config: string; readonly image?: string }
}
