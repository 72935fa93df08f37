import type { ObjectReference } from '@machinist/core/resource'

/**
 * What becomes of the rest:
 * - `told`: all of it is done; somebody should know what it means.
 * - `leftOut`: the rest is done without it, and nodes keep what they have of it.
 * - `held`: nobody can say what is meant, and doing the rest could open nodes or cut them off. All stays as it is.
 */
export type Effect = 'told' | 'leftOut' | 'held'

export interface Problem {
  /** One of `clusterSettingsReasons`. */
  readonly reason: string
  readonly effect: Effect
  /** Names the object and the field, and what to do. */
  readonly message: string
  /** Whose fault it is, for an event. */
  readonly about?: ObjectReference
}
