import { rotationReasons } from '../../../api/reasons.ts'
import type { ReadyRotationFacts, RotationFacts, RotationProblem } from '../facts/facts.ts'
import type { CertificatePlan } from './plan-certificates.ts'
import { planCertificates } from './plan-certificates.ts'

export type RotationPlan =
  /** Nothing is done until a user changes a TrustRotation. */
  | { readonly type: 'invalid'; readonly problem: RotationProblem }
  /** The cache of an object is still syncing. */
  | { readonly type: 'wait'; readonly ms: number }
  /** The cache of an object does not sync. */
  | { readonly type: 'unreadable'; readonly problem: RotationProblem }
  | ProceedPlan

export interface ProceedPlan extends CertificatePlan {
  readonly type: 'proceed'
  readonly facts: ReadyRotationFacts
}

/** Longer than any cache takes to sync. */
const syncTimeoutMs = 30_000

/** Pure: what to do about a rotation; its certificates only if all its objects are known. */
export function decide(facts: RotationFacts): RotationPlan {
  switch (facts.type) {
    case 'invalid':
      return { type: 'invalid', problem: facts.problem }
    case 'unsynced': {
      const ms = syncTimeoutMs - facts.waitedMs
      return ms > 0 ? { type: 'wait', ms } : { type: 'unreadable', problem: unreadable(facts.what) }
    }
    case 'ready':
      return { type: 'proceed', facts, ...planCertificates(facts) }
  }
}

const unreadable = (what: string): RotationProblem => ({
  reason: rotationReasons.refused,
  message: `${what} cannot be read: check that the signer has permission to get, list and watch it`,
})
