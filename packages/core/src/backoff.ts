import type { Random } from './random.ts'
import { jitter } from './random.ts'

export interface BackoffPolicy {
  readonly firstMs: number
  readonly maxMs: number
  readonly factor: number
  /** Maximum random extension as a share of the delay, so that a fleet does not retry in lockstep. */
  readonly jitter: number
}

/** The delay before retry number `attempt`, starting at 0. */
export function backoffDelay(policy: BackoffPolicy, attempt: number, random: Random): number {
  // A large power overflows to Infinity, which Math.min handles.
  const plain = Math.min(policy.firstMs * policy.factor ** attempt, policy.maxMs)
  return jitter(random, plain, policy.jitter)
}
