import { describe, expect, it } from 'vitest'
import type { TrustRotationStatus } from '../../api/kinds/trust-rotation.ts'
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
import type { RotationFacts } from './facts.ts'
import { RotationJournal } from './journal.ts'

const at = (
  status: TrustRotationStatus | undefined,
  more: Partial<RotationFacts> = {},
): RotationFacts => ({
  ...midway,
  rotation: rotation(status),
  ...more,
})

describe('phases', () => {
  it('have the total duration of all observed visits', () => {
    const journal = new RotationJournal()
    journal.record(at(preparing))
    journal.record(at({ ...preparing, phase: 'Issuing', phaseSince: '2026-11-16T14:03:01Z' }))
    // A node joined in between.
    journal.record(at({ ...preparing, phaseSince: '2026-11-16T14:03:11Z' }))
    journal.record(at(completing))
    expect(journal.durationOf('Preparing', now)).toBe(60_000 + 79_000)
    expect(journal.durationOf('Issuing', now)).toBe(10_000)
    expect(journal.durationOf('Prepared', now)).toBeUndefined()
    expect(journal.durationOf('Completing', now)).toBe(30_000)
    expect(journal.began).toBe(Date.parse('2026-11-16T14:02:00Z'))
  })

  it('before the request do not count', () => {
    const journal = new RotationJournal({ at: now, replaces: oldCA.fingerprint })
    journal.record(at(atRest))
    expect(journal.hasReacted(atRest)).toBe(false)
    expect(journal.durationOf('Completed', now)).toBeUndefined()
    journal.record(at(preparing))
    expect(journal.hasReacted(preparing)).toBe(true)
    expect(journal.durationOf('Preparing', now)).toBe(179_000)
    expect([journal.began, journal.requestedAt]).toEqual([now, now])
  })

  it('begin with the first CA if there is no status', () => {
    const journal = new RotationJournal({ at: now })
    expect([
      journal.hasReacted(undefined),
      journal.hasReacted({}),
      journal.hasReacted(atRest),
    ]).toEqual([false, false, true])
  })

  it('have no beginning if it is unknown', () => {
    const late = new RotationJournal()
    late.record(at({ ...completing, retiring: [] }))
    expect(late.began).toBe(Date.parse('2026-11-16T14:04:30Z'))
    const over = new RotationJournal()
    over.record(at(completed))
    expect(over.began).toBeUndefined()
  })

  it('never have a negative duration', () => {
    const journal = new RotationJournal()
    journal.record(at(preparing, { now: now - 600_000 }))
    expect(journal.durationOf('Preparing', now - 600_000)).toBe(0)
  })
})

describe('going back', () => {
  it('is recognized by the retiring CAs, and remembered afterwards', () => {
    const journal = new RotationJournal()
    journal.record(at({ ...completing, current: oldCA, retiring: [newCA] }))
    expect(journal.isBack).toBe(true)
    expect(journal.began).toBe(Date.parse('2026-11-16T14:04:30Z'))
    journal.record(at({ ...completed, current: oldCA }))
    expect(journal.isBack).toBe(true)
  })

  it('is known from the request, until another rotation starts', () => {
    const journal = new RotationJournal({ at: now, replaces: newCA.fingerprint, isBack: true })
    expect(journal.isBack).toBe(true)
    journal.record(at(preparing))
    expect(journal.isBack).toBe(true)
    const third = { ...newCA, fingerprint: 'c'.repeat(64), subject: 'CN=x_y@1894837720' }
    journal.record(at({ ...preparing, current: third }))
    expect(journal.isBack).toBe(false)
  })
})

describe('the work of nodes', () => {
  const reports = (writtenAt: string, more: object = {}) => [
    trust('n', [newCA], { writtenAt, ...more }),
  ]

  it('counts from the beginning of the rotation without a request', () => {
    const journal = new RotationJournal()
    journal.record(midway)
    journal.record(midway)
    expect([journal.files, journal.restarts]).toEqual([5, 0])
  })

  it('counts changes since the request, independent of clocks', () => {
    const journal = new RotationJournal({ at: now, replaces: oldCA.fingerprint })
    journal.record(at(atRest, { nodeTrusts: reports('2026-11-16T14:00:00Z') }))
    journal.record(at(preparing, { nodeTrusts: reports('2026-11-16T14:00:00Z') }))
    expect(journal.files).toBe(0)
    const files = { paths: ['/a', '/b'], loadedAt: '2026-11-16T14:01:30Z' }
    journal.record(at(preparing, { nodeTrusts: reports('2026-11-16T14:01:00Z', files) }))
    // The kubelet of a new node was restarted before the request.
    expect([journal.files, journal.restarts]).toEqual([2, 0])
    const again = { paths: ['/a', '/b'], loadedAt: '2026-11-16T14:06:30Z' }
    journal.record(at(preparing, { nodeTrusts: reports('2026-11-16T14:06:00Z', again) }))
    expect([journal.files, journal.restarts]).toEqual([4, 1])
  })

  it('is not counted if time alone decides', () => {
    const { trustedBy: _, ...spec } = midway.rotation.spec
    const journal = new RotationJournal()
    journal.record({ ...midway, rotation: { ...midway.rotation, spec } })
    expect(journal.files).toBe(0)
  })
})
