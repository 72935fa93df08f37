import type { ObjectReference } from '@machinist/core/objects/resource'

/**
 * How the remaining settings are affected:
 * - `reported`: all settings are applied; the user is informed of a consequence.
 * - `leftOut`: the invalid setting is skipped, nodes keep its last valid value, and the rest is applied.
 * - `held`: the intent is unclear, and applying the rest could lift restrictions or cut nodes off. Nothing changes.
 */
export type ProblemEffect = 'reported' | 'leftOut' | 'held'

export interface Problem {
  /** One of `clusterSettingsReasons`. */
  readonly reason: string
  readonly effect: ProblemEffect
  /** Names the object and the field, and what to do. */
  readonly message: string
  /** The object that causes the problem, for an event. */
  readonly about?: ObjectReference
}
