import { describe, expect, it } from 'vitest'
import {
  atRest,
  completed,
  completing,
  midway,
  newCA,
  now,
  oldCA,
  preparing,
  rotation,
  trust,
} from './sample.fixture.ts'
import type { TrustRotationStatus } from '../../api/kinds/trust-rotation.ts'
import type { RotationFacts } from './facts.ts'
import { Journal } from './journal.ts'

const at = (
  status: TrustRotationStatus | undefined,
  more: Partial<RotationFacts> = {},
): RotationFacts => ({
  ...midway,
  rotation: rotation(status),
  ...more,
})

describe('phases', () => {
  it('take as long as they were seen, all visits together', () => {
    const journal = new Journal()
    journal.see(at(preparing))
    journal.see(at({ ...preparing, phase: 'Issuing', phaseSince: '2026-11-16T14:03:01Z' }))
    // Somebody joined in between.
    journal.see(at({ ...preparing, phaseSince: '2026-11-16T14:03:11Z' }))
    journal.see(at(completing))
    expect(journal.took('Preparing', now)).toBe(60_000 + 79_000)
    expect(journal.took('Issuing', now)).toBe(10_000)
    expect(journal.took('Prepared', now)).toBeUndefined()
    expect(journal.took('Completing', now)).toBe(30_000)
    expect(journal.began).toBe(Date.parse('2026-11-16T14:02:00Z'))
  })

  it('of the time before do not count', () => {
    const journal = new Journal({ at: now, instead: oldCA.fingerprint })
    journal.see(at(atRest))
    expect(journal.hasReacted(atRest)).toBe(false)
    expect(journal.took('Completed', now)).toBeUndefined()
    journal.see(at(preparing))
    expect(journal.hasReacted(preparing)).toBe(true)
    expect(journal.took('Preparing', now)).toBe(179_000)
    expect([journal.began, journal.askedAt]).toEqual([now, now])
  })

  it('begin for who has no status with the first CA', () => {
    const journal = new Journal({ at: now })
    expect([
      journal.hasReacted(undefined),
      journal.hasReacted({}),
      journal.hasReacted(atRest),
    ]).toEqual([false, false, true])
  })

  it('tell no beginning where none can be known', () => {
    const late = new Journal()
    late.see(at({ ...completing, retiring: [] }))
    expect(late.began).toBe(Date.parse('2026-11-16T14:04:30Z'))
    const over = new Journal()
    over.see(at(completed))
    expect(over.began).toBeUndefined()
  })

  it('clocks that differ make no time negative', () => {
    const journal = new Journal()
    journal.see(at(preparing, { now: now - 600_000 }))
    expect(journal.took('Preparing', now - 600_000)).toBe(0)
  })
})

describe('going back', () => {
  it('is seen in what is to go, and remembered when that is gone', () => {
    const journal = new Journal()
    journal.see(at({ ...completing, current: oldCA, retiring: [newCA] }))
    expect(journal.isBack).toBe(true)
    expect(journal.began).toBe(Date.parse('2026-11-16T14:04:30Z'))
    journal.see(at({ ...completed, current: oldCA }))
    expect(journal.isBack).toBe(true)
  })

  it('is known to who asked for it, until another rotation comes', () => {
    const journal = new Journal({ at: now, instead: newCA.fingerprint, isBack: true })
    expect(journal.isBack).toBe(true)
    journal.see(at(preparing))
    expect(journal.isBack).toBe(true)
    const third = { ...newCA, fingerprint: 'c'.repeat(64), subject: 'CN=x_y@1894837720' }
    journal.see(at({ ...preparing, current: third }))
    expect(journal.isBack).toBe(false)
  })
})

describe('what nodes did', () => {
  const told = (writtenAt: string, more: object = {}) => [
    trust('n', [newCA], { writtenAt, ...more }),
  ]

  it('counts from the beginning of the rotation for who comes later', () => {
    const journal = new Journal()
    journal.see(midway)
    journal.see(midway)
    expect([journal.files, journal.restarts]).toEqual([5, 0])
  })

  it('counts from what was there before for who asked, whatever clocks say', () => {
    const journal = new Journal({ at: now, instead: oldCA.fingerprint })
    journal.see(at(atRest, { nodeTrusts: told('2026-11-16T14:00:00Z') }))
    journal.see(at(preparing, { nodeTrusts: told('2026-11-16T14:00:00Z') }))
    expect(journal.files).toBe(0)
    const files = { paths: ['/a', '/b'], loadedAt: '2026-11-16T14:01:30Z' }
    journal.see(at(preparing, { nodeTrusts: told('2026-11-16T14:01:00Z', files) }))
    // The kubelet of a node that nobody knew before was restarted some time ago.
    expect([journal.files, journal.restarts]).toEqual([2, 0])
    const again = { paths: ['/a', '/b'], loadedAt: '2026-11-16T14:06:30Z' }
    journal.see(at(preparing, { nodeTrusts: told('2026-11-16T14:06:00Z', again) }))
    expect([journal.files, journal.restarts]).toEqual([4, 1])
  })

  it('is not asked where time decides', () => {
    const { trustedBy: _, ...spec } = midway.rotation.spec
    const journal = new Journal()
    journal.see({ ...midway, rotation: { ...midway.rotation, spec } })
    expect(journal.files).toBe(0)
  })
})
