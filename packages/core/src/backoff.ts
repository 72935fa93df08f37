import type { Random } from './random.ts'
import { jitter } from './random.ts'

export interface BackoffPolicy {
  readonly firstMs: number
  readonly maxMs: number
  readonly factor: number
  /** Share of random stretch on top, so that a fleet does not return in step. */
  readonly jitter: number
}

/** The delay before try number `attempt` (0 = the first retry). */
export function backoffDelay(policy: BackoffPolicy, attempt: number, random: Random): number {
  // Past 2^60 the power overflows to Infinity, which Math.min handles.
  const plain = Math.min(policy.firstMs * policy.factor ** attempt, policy.maxMs)
  return jitter(random, plain, policy.jitter)
}
