import { describe, expect, it } from 'vitest'
import type { Lease } from './kinds/coordination.ts'
import {
  LeaseObservation,
  checkTiming,
  firstLease,
  holderOf,
  releasedLease,
  renewedLease,
  takenLease,
} from './lease-election-record.ts'

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
  it('begins with its first holder', () => {
    expect(firstLease(key, 'a', 15_000, noon)).toEqual({
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

  it('counts how often it went to another holder, and keeps what it does not know', () => {
    const lease = { ...heldBy('a', 'x'), spec: { ...heldBy('a', 'x').spec, strategy: 'Oldest' } }
    expect(takenLease(lease, 'b', 15_000, noon)).toEqual({
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
    expect(takenLease(heldBy('a', 'x'), 'a', 15_000, noon).spec?.leaseTransitions).toBe(4)
    expect(takenLease({ metadata: key }, 'a', 15_000, noon).spec?.leaseTransitions).toBe(1)
  })

  it('is renewed without changing hands', () => {
    expect(renewedLease(heldBy('a', 'x'), 'a', 15_500, noon).spec).toEqual({
      holderIdentity: 'a',
      leaseDurationSeconds: 16,
      acquireTime: '2026-01-01T10:00:00.000000Z',
      renewTime: '2026-01-01T12:00:00.123000Z',
      leaseTransitions: 4,
    })
  })

  it('is released for everybody', () => {
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

describe('what was seen of a lease', () => {
  it('counts from when it was last seen to change, whatever times it names', () => {
    const seen = new LeaseObservation()
    seen.see(heldBy('a', '1999-01-01T00:00:00.000000Z'), 1000)
    expect(seen.mayTake('b', 15_000, 1000)).toBe(false)
    seen.see(heldBy('a', '1999-01-01T00:00:00.000000Z'), 15_000)
    expect(seen.mayTake('b', 15_000, 15_999)).toBe(false)
    expect(seen.mayTake('b', 15_000, 16_000)).toBe(true)
    seen.see(heldBy('a', '2099-01-01T00:00:00.000000Z'), 16_000)
    expect(seen.mayTake('b', 15_000, 16_000)).toBe(false)
    expect(seen.holder).toBe('a')
  })

  it('does not count changes of labels', () => {
    const seen = new LeaseObservation()
    seen.see(heldBy('a', 'x'), 0)
    const touched = heldBy('a', 'x')
    touched.metadata.labels = { team: 'y' }
    touched.metadata.resourceVersion = '8'
    seen.see(touched, 10_000)
    expect(seen.mayTake('b', 15_000, 15_000)).toBe(true)
  })

  it('knows another lease of the same name', () => {
    const seen = new LeaseObservation()
    seen.see(heldBy('a', 'x'), 0)
    const anew = heldBy('a', 'x')
    anew.metadata.uid = 'other'
    seen.see(anew, 10_000)
    expect(seen.mayTake('b', 15_000, 15_000)).toBe(false)
  })

  it('lets anybody take what is free, and the holder what is its own', () => {
    const seen = new LeaseObservation()
    expect(seen.mayTake('b', 15_000, 0)).toBe(false)
    seen.see(heldBy('', 'x'), 0)
    expect(seen.mayTake('b', 15_000, 0)).toBe(true)
    seen.see(heldBy('b', 'x'), 0)
    expect(seen.mayTake('b', 15_000, 0)).toBe(true)
    seen.see({ metadata: key }, 0)
    expect(seen.mayTake('b', 15_000, 0)).toBe(true)
  })

  it('waits the usual time where the lease does not say', () => {
    const seen = new LeaseObservation()
    seen.see({ metadata: key, spec: { holderIdentity: 'a', leaseDurationSeconds: 0 } }, 0)
    expect(seen.mayTake('b', 15_000, 14_999)).toBe(false)
    expect(seen.mayTake('b', 15_000, 15_000)).toBe(true)
  })

  it('waits as long as the holder was promised', () => {
    const seen = new LeaseObservation()
    seen.see({ metadata: key, spec: { holderIdentity: 'a', leaseDurationSeconds: 60 } }, 0)
    expect(seen.mayTake('b', 15_000, 59_999)).toBe(false)
    expect(seen.mayTake('b', 15_000, 60_000)).toBe(true)
  })
})

describe('timing', () => {
  it('must leave a margin', () => {
    expect(() => checkTiming({ leaseMs: 15_000, renewMs: 10_000, retryMs: 2000 })).not.toThrow()
    expect(() => checkTiming({ leaseMs: 10_000, renewMs: 10_000, retryMs: 2000 })).toThrow(
      'a lease must last longer than its renewal may take',
    )
    expect(() => checkTiming({ leaseMs: 15_000, renewMs: 2400, retryMs: 2000 })).toThrow(
      'a renewal must have time for more than one try',
    )
    expect(() => checkTiming({ leaseMs: 15_000, renewMs: 10_000, retryMs: 0 })).toThrow(
      'tries need time in between',
    )
  })
})
