import type { LostTurn } from './lost-turns.ts'

/** Everything that determines the turns to restart kubelets. */
export interface KubeletTurnsFacts {
  readonly turns: readonly TurnFacts[]
  /** All Nodes outside of the control plane. */
  readonly workers: number
  /** Turns whose Node was deleted. */
  readonly lost: readonly LostTurn[]
}

/** The facts about the turn of one Node. */
export interface TurnFacts {
  readonly node: string
  /** The resourceVersion of the NodeTrust. */
  readonly version?: string
  readonly isControlPlane: boolean
  readonly isReady: boolean
  /** When the node requested its turn; absent: it needs none. */
  readonly requestedAt?: string
  /** The node reported that it began to use the turn. */
  readonly isStarted: boolean
  /** For how long the turn is known to be granted, or to be in use once the node began; absent: it is not granted. */
  readonly heldMs?: number
  /** The last turn was withdrawn, because the node did not finish it. */
  readonly wasWithdrawn: boolean
}
