import { sameJson } from '@machinist/core/encoding/json'
import type { ObjectKey } from '@machinist/core/objects/resource'
import type { Lease } from '../kinds/coordination.ts'

export interface ElectionTiming {
  /** How long candidates wait without observing a change of the lease before they acquire it. */
  readonly leaseMs: number
  /** How long a leader keeps leading after the last successful renewal. */
  readonly renewMs: number
  /** Time between two attempts. */
  readonly retryMs: number
}

export const defaultTiming: ElectionTiming = { leaseMs: 15_000, renewMs: 10_000, retryMs: 2000 }

/** Candidates retry after 1 to 2.2 times `retryMs`, so that they do not collide. */
export const retryJitter = 1.2

/** The margin between renewMs and leaseMs prevents two leaders at the same time. */
export function validateTiming({ leaseMs, renewMs, retryMs }: ElectionTiming): void {
  if (!(leaseMs > renewMs)) throw new RangeError('leaseMs must be greater than renewMs')
  if (!(renewMs > retryMs * retryJitter)) {
    throw new RangeError(`renewMs must be greater than ${retryJitter} times retryMs`)
  }
  if (!(retryMs > 0)) throw new RangeError('retryMs must be positive')
}

/** A new Lease that `identity` holds. */
export function newLease(key: ObjectKey, identity: string, leaseMs: number, now: number): Lease {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { ...key },
    spec: {
      ...holderFields(identity, leaseMs, now),
      acquireTime: microTime(now),
      leaseTransitions: 0,
    },
  }
}

/** The Lease after `identity` acquired it. */
export function acquiredLease(lease: Lease, identity: string, leaseMs: number, now: number): Lease {
  const transitions = lease.spec?.leaseTransitions ?? 0
  return {
    ...lease,
    spec: {
      ...lease.spec,
      ...holderFields(identity, leaseMs, now),
      acquireTime: microTime(now),
      leaseTransitions: holderOf(lease) === identity ? transitions : transitions + 1,
    },
  }
}

export function renewedLease(lease: Lease, identity: string, leaseMs: number, now: number): Lease {
  return { ...lease, spec: { ...lease.spec, ...holderFields(identity, leaseMs, now) } }
}

/** The Lease without a holder: the next candidate acquires it without waiting for it to expire. */
export function releasedLease(lease: Lease, now: number): Lease {
  return {
    ...lease,
    spec: { ...lease.spec, ...holderFields('', 1000, now), acquireTime: microTime(now) },
  }
}

/** The identity of the holder; undefined if the Lease has none. */
export function holderOf(lease: Lease): string | undefined {
  return lease.spec?.holderIdentity || undefined
}

/**
 * Records when the Lease last changed, by the local clock. The times in the Lease come from the clock of another machine
 * and cannot show whether the holder is alive.
 */
export class LeaseObservation {
  #last: { readonly lease: Lease; readonly at: number } | undefined

  observe(lease: Lease, elapsed: number): void {
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

  /** Whether `identity` can acquire the observed Lease. `defaultMs` applies if the Lease has no duration. */
  canAcquire(identity: string, defaultMs: number, elapsed: number): boolean {
    if (!this.#last) return false
    const { lease, at } = this.#last
    const holder = holderOf(lease)
    if (holder === undefined || holder === identity) return true
    const durationMs = (lease.spec?.leaseDurationSeconds ?? 0) * 1000 || defaultMs
    return elapsed - at >= durationMs
  }
}

function holderFields(identity: string, leaseMs: number, now: number): NonNullable<Lease['spec']> {
  return {
    holderIdentity: identity,
    leaseDurationSeconds: Math.ceil(leaseMs / 1000),
    renewTime: microTime(now),
  }
}

/** MicroTime requires six fractional digits. */
const microTime = (now: number): string => new Date(now).toISOString().replace('Z', '000Z')
