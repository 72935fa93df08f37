import { describe, expect, it } from 'vitest'
import type { Lease } from '../kinds/coordination.ts'
import {
  LeaseObservation,
  validateTiming,
  newLease,
  holderOf,
  releasedLease,
  renewedLease,
  acquiredLease,
} from './lease-record.ts'

const noon = Date.parse('2026-01-01T12:00:00.123Z')
const key = { namespace: 'machinist', name: 'controllers' }

const heldBy = (holderIdentity: string, renewTime: string): Lease => ({
  metadata: { ...key, uid: 'u', resourceVersion: '7', labels: { team: 'x' } },
  spec: {
    holderIdentity,
    leaseDurationSeconds: 15,
    acquireTime: '2026-01-01T10:00:00.000000Z',
    renewTime,
    leaseTransitions: 4,
  },
})

describe('a lease', () => {
  it('starts with its first holder', () => {
    expect(newLease(key, 'a', 15_000, noon)).toEqual({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { namespace: 'machinist', name: 'controllers' },
      spec: {
        holderIdentity: 'a',
        leaseDurationSeconds: 15,
        acquireTime: '2026-01-01T12:00:00.123000Z',
        renewTime: '2026-01-01T12:00:00.123000Z',
        leaseTransitions: 0,
      },
    })
  })

  it('counts transitions and keeps unknown fields', () => {
    const lease = { ...heldBy('a', 'x'), spec: { ...heldBy('a', 'x').spec, strategy: 'Oldest' } }
    expect(acquiredLease(lease, 'b', 15_000, noon)).toEqual({
      metadata: { ...key, uid: 'u', resourceVersion: '7', labels: { team: 'x' } },
      spec: {
        holderIdentity: 'b',
        leaseDurationSeconds: 15,
        acquireTime: '2026-01-01T12:00:00.123000Z',
        renewTime: '2026-01-01T12:00:00.123000Z',
        leaseTransitions: 5,
        strategy: 'Oldest',
      },
    })
    expect(acquiredLease(heldBy('a', 'x'), 'a', 15_000, noon).spec?.leaseTransitions).toBe(4)
    expect(acquiredLease({ metadata: key }, 'a', 15_000, noon).spec?.leaseTransitions).toBe(1)
  })

  it('is renewed without a transition', () => {
    expect(renewedLease(heldBy('a', 'x'), 'a', 15_500, noon).spec).toEqual({
      holderIdentity: 'a',
      leaseDurationSeconds: 16,
      acquireTime: '2026-01-01T10:00:00.000000Z',
      renewTime: '2026-01-01T12:00:00.123000Z',
      leaseTransitions: 4,
    })
  })

  it('is released without a holder', () => {
    const lease = releasedLease(heldBy('a', 'x'), noon)
    expect(lease.spec).toEqual({
      holderIdentity: '',
      leaseDurationSeconds: 1,
      acquireTime: '2026-01-01T12:00:00.123000Z',
      renewTime: '2026-01-01T12:00:00.123000Z',
      leaseTransitions: 4,
    })
    expect(holderOf(lease)).toBeUndefined()
  })
})

describe('the observation of a lease', () => {
  it('counts from the last observed change, independent of the times in the lease', () => {
    const seen = new LeaseObservation()
    seen.observe(heldBy('a', '1999-01-01T00:00:00.000000Z'), 1000)
    expect(seen.canAcquire('b', 15_000, 1000)).toBe(false)
    seen.observe(heldBy('a', '1999-01-01T00:00:00.000000Z'), 15_000)
    expect(seen.canAcquire('b', 15_000, 15_999)).toBe(false)
    expect(seen.canAcquire('b', 15_000, 16_000)).toBe(true)
    seen.observe(heldBy('a', '2099-01-01T00:00:00.000000Z'), 16_000)
    expect(seen.canAcquire('b', 15_000, 16_000)).toBe(false)
    expect(seen.holder).toBe('a')
  })

  it('ignores changes of labels', () => {
    const seen = new LeaseObservation()
    seen.observe(heldBy('a', 'x'), 0)
    const touched = heldBy('a', 'x')
    touched.metadata.labels = { team: 'y' }
    touched.metadata.resourceVersion = '8'
    seen.observe(touched, 10_000)
    expect(seen.canAcquire('b', 15_000, 15_000)).toBe(true)
  })

  it('detects another lease with the same name', () => {
    const seen = new LeaseObservation()
    seen.observe(heldBy('a', 'x'), 0)
    const anew = heldBy('a', 'x')
    anew.metadata.uid = 'other'
    seen.observe(anew, 10_000)
    expect(seen.canAcquire('b', 15_000, 15_000)).toBe(false)
  })

  it('allows every candidate to acquire a free lease, and the holder its own', () => {
    const seen = new LeaseObservation()
    expect(seen.canAcquire('b', 15_000, 0)).toBe(false)
    seen.observe(heldBy('', 'x'), 0)
    expect(seen.canAcquire('b', 15_000, 0)).toBe(true)
    seen.observe(heldBy('b', 'x'), 0)
    expect(seen.canAcquire('b', 15_000, 0)).toBe(true)
    seen.observe({ metadata: key }, 0)
    expect(seen.canAcquire('b', 15_000, 0)).toBe(true)
  })

  it('waits the default time if the lease has no duration', () => {
    const seen = new LeaseObservation()
    seen.observe({ metadata: key, spec: { holderIdentity: 'a', leaseDurationSeconds: 0 } }, 0)
    expect(seen.canAcquire('b', 15_000, 14_999)).toBe(false)
    expect(seen.canAcquire('b', 15_000, 15_000)).toBe(true)
  })

  it('waits for the duration in the lease', () => {
    const seen = new LeaseObservation()
    seen.observe({ metadata: key, spec: { holderIdentity: 'a', leaseDurationSeconds: 60 } }, 0)
    expect(seen.canAcquire('b', 15_000, 59_999)).toBe(false)
    expect(seen.canAcquire('b', 15_000, 60_000)).toBe(true)
  })
})

describe('timing', () => {
  it('requires a margin', () => {
    expect(() => validateTiming({ leaseMs: 15_000, renewMs: 10_000, retryMs: 2000 })).not.toThrow()
    expect(() => validateTiming({ leaseMs: 10_000, renewMs: 10_000, retryMs: 2000 })).toThrow(
      'leaseMs must be greater than renewMs',
    )
    expect(() => validateTiming({ leaseMs: 15_000, renewMs: 2400, retryMs: 2000 })).toThrow(
      'renewMs must be greater than 1.2 times retryMs',
    )
    expect(() => validateTiming({ leaseMs: 15_000, renewMs: 10_000, retryMs: 0 })).toThrow(
      'retryMs must be positive',
    )
  })
})
