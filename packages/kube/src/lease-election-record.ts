import { sameJson } from '@machinist/core/json'
import type { ObjectKey } from '@machinist/core/resource'
import type { Lease } from './kinds/coordination.ts'

export interface ElectionTiming {
  /** How long others wait, without seeing the lease change, before they take it. */
  readonly leaseMs: number
  /** How long a leader leads after the last renewal that worked. */
  readonly renewMs: number
  /** Time between two tries. */
  readonly retryMs: number
}

export const usualTiming: ElectionTiming = { leaseMs: 15_000, renewMs: 10_000, retryMs: 2000 }

/** Tries to get a lease come after one to 2.2 times `retryMs`, so that candidates do not step on each other. */
export const retryJitter = 1.2

/** The margin between renewMs and leaseMs is what keeps two from leading at once. */
export function checkTiming({ leaseMs, renewMs, retryMs }: ElectionTiming): void {
  if (!(leaseMs > renewMs))
    throw new RangeError('a lease must last longer than its renewal may take')
  if (!(renewMs > retryMs * retryJitter)) {
    throw new RangeError('a renewal must have time for more than one try')
  }
  if (!(retryMs > 0)) throw new RangeError('tries need time in between')
}

/** A lease that nobody has held before. */
export function firstLease(key: ObjectKey, identity: string, leaseMs: number, now: number): Lease {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { ...key },
    spec: { ...held(identity, leaseMs, now), acquireTime: microTime(now), leaseTransitions: 0 },
  }
}

/** The lease, gone over to `identity`. */
export function takenLease(lease: Lease, identity: string, leaseMs: number, now: number): Lease {
  const transitions = lease.spec?.leaseTransitions ?? 0
  return {
    ...lease,
    spec: {
      ...lease.spec,
      ...held(identity, leaseMs, now),
      acquireTime: microTime(now),
      leaseTransitions: holderOf(lease) === identity ? transitions : transitions + 1,
    },
  }
}

export function renewedLease(lease: Lease, identity: string, leaseMs: number, now: number): Lease {
  return { ...lease, spec: { ...lease.spec, ...held(identity, leaseMs, now) } }
}

/** The lease, free for the next: nobody needs to wait for it to run out. */
export function releasedLease(lease: Lease, now: number): Lease {
  return {
    ...lease,
    spec: { ...lease.spec, ...held('', 1000, now), acquireTime: microTime(now) },
  }
}

/** Nobody, where the lease is free. */
export function holderOf(lease: Lease): string | undefined {
  return lease.spec?.holderIdentity || undefined
}

/**
 * When a lease was last seen to change, by our own clock. Nothing else tells whether its holder lives: the times in the
 * lease come from another machine's clock.
 */
export class LeaseObservation {
  #last: { readonly lease: Lease; readonly at: number } | undefined

  see(lease: Lease, elapsed: number): void {
    const last = this.#last?.lease
    const isSame =
      last !== undefined &&
      last.metadata.uid === lease.metadata.uid &&
      sameJson(last.spec, lease.spec)
    if (!isSame) this.#last = { lease, at: elapsed }
  }

  get holder(): string | undefined {
    return this.#last && holderOf(this.#last.lease)
  }

  /** Whether `identity` may take what was seen. `usualMs` counts where the lease does not say how long it lasts. */
  mayTake(identity: string, usualMs: number, elapsed: number): boolean {
    if (!this.#last) return false
    const { lease, at } = this.#last
    const holder = holderOf(lease)
    if (holder === undefined || holder === identity) return true
    const lasts = (lease.spec?.leaseDurationSeconds ?? 0) * 1000 || usualMs
    return elapsed - at >= lasts
  }
}

function held(identity: string, leaseMs: number, now: number): NonNullable<Lease['spec']> {
  return {
    holderIdentity: identity,
    leaseDurationSeconds: Math.ceil(leaseMs / 1000),
    renewTime: microTime(now),
  }
}

/** The server wants six digits. */
const microTime = (now: number): string => new Date(now).toISOString().replace('Z', '000Z')
