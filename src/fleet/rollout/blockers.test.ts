import { describe, expect, it } from 'vitest'
import { at, facts } from './scene.fixture.ts'
import { msUntilBlocked, rolloutBlockers, drainBlockReason } from './blockers.ts'

const now = Date.parse('2026-03-01T10:00:00Z')
const target = { config: 'V1', layered: false }
const away = (readySince: string) =>
  at('V0', 'V1', { state: 'Working', ready: false, cordoned: true, readySince })

describe('a node that reboots', () => {
  it('is not a blocker for ten minutes', () => {
    const young = facts({}, [away('2026-03-01T09:58:00Z'), at('V0')], { now })
    expect(rolloutBlockers(young, target)).toEqual([])
    expect(msUntilBlocked(young)).toBe(8 * 60_000)
    const old = facts({}, [away('2026-03-01T09:50:00Z'), at('V0')], { now })
    expect(rolloutBlockers(old, target)).toEqual([
      { node: 'node-0', because: 'NotReady since 2026-03-01T09:50:00Z, during its update' },
    ])
    expect(msUntilBlocked(old)).toBeUndefined()
  })

  it('has no longer than that, regardless of clock skew', () => {
    const tomorrow = facts({}, [away('2026-03-02T09:58:00Z')], { now })
    expect(msUntilBlocked(tomorrow)).toBe(10 * 60_000)
    expect(msUntilBlocked(facts({}, [away('nonsense')], { now }))).toBeUndefined()
  })

  it('differs from a node that is NotReady without an update', () => {
    const idle = at('V0', 'V0', { ready: false, readySince: '2026-03-01T09:59:00Z' })
    expect(rolloutBlockers(facts({}, [idle], { now }), target)).toEqual([
      { node: 'node-0', because: 'NotReady since 2026-03-01T09:59:00Z' },
    ])
  })
})

describe('drainBlockReason', () => {
  const drained = (status: 'True' | 'False' | 'Unknown', reason: string, message: string) =>
    drainBlockReason({ type: 'Drained', status, reason, message })

  it('is the reason why a drain is blocked, not that one is in progress', () => {
    expect(
      drained('False', 'NotYetOccurred', 'This node has not yet entered the Drained phase'),
    ).toBe(undefined)
    expect(drained('Unknown', 'Draining', 'Draining for V1')).toBeUndefined()
    expect(drained('True', 'Drained', 'Drained for V1')).toBeUndefined()
    expect(drained('Unknown', 'DrainBlocked', 'held up by 1 pod')).toBe('held up by 1 pod')
    expect(drainBlockReason(undefined)).toBeUndefined()
  })
})
