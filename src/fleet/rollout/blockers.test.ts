import { describe, expect, it } from 'vitest'
import { at, facts } from './scene.fixture.ts'
import { blockedIn, blockersIn, drainTrouble } from './blockers.ts'

const now = Date.parse('2026-03-01T10:00:00Z')
const target = { config: 'V1', layered: false }
const away = (readySince: string) =>
  at('V0', 'V1', { state: 'Working', ready: false, cordoned: true, readySince })

describe('a node that reboots', () => {
  it('is nobody’s trouble for ten minutes', () => {
    const young = facts({}, [away('2026-03-01T09:58:00Z'), at('V0')], { now })
    expect(blockersIn(young, target)).toEqual([])
    expect(blockedIn(young)).toBe(8 * 60_000)
    const old = facts({}, [away('2026-03-01T09:50:00Z'), at('V0')], { now })
    expect(blockersIn(old, target)).toEqual([
      { node: 'node-0', because: 'NotReady since 2026-03-01T09:50:00Z, during its update' },
    ])
    expect(blockedIn(old)).toBeUndefined()
  })

  it('is not waited for longer than that, whatever clocks say', () => {
    const tomorrow = facts({}, [away('2026-03-02T09:58:00Z')], { now })
    expect(blockedIn(tomorrow)).toBe(10 * 60_000)
    expect(blockedIn(facts({}, [away('nonsense')], { now }))).toBeUndefined()
  })

  it('is another matter than one that went away by itself', () => {
    const idle = at('V0', 'V0', { ready: false, readySince: '2026-03-01T09:59:00Z' })
    expect(blockersIn(facts({}, [idle], { now }), target)).toEqual([
      { node: 'node-0', because: 'NotReady since 2026-03-01T09:59:00Z' },
    ])
  })
})

describe('drainTrouble', () => {
  const drained = (status: 'True' | 'False' | 'Unknown', reason: string, message: string) =>
    drainTrouble({ type: 'Drained', status, reason, message })

  it('is what holds a drain up, and not that there is one', () => {
    expect(
      drained('False', 'NotYetOccurred', 'This node has not yet entered the Drained phase'),
    ).toBe(undefined)
    expect(drained('Unknown', 'Draining', 'Draining for V1')).toBeUndefined()
    expect(drained('True', 'Drained', 'Drained for V1')).toBeUndefined()
    expect(drained('Unknown', 'DrainBlocked', 'held up by 1 pod')).toBe('held up by 1 pod')
    expect(drainTrouble(undefined)).toBeUndefined()
  })
})
