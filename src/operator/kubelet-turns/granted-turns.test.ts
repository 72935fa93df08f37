import { beforeEach, describe, expect, it } from 'vitest'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { NodeTrust } from '../../api/kinds/resources.ts'
import { GrantedTurns } from './granted-turns.ts'

const trust = (resourceVersion: string, grantedAt?: string): NodeTrust => ({
  metadata: { name: 'worker-0', uid: 'u', resourceVersion },
  spec: { ...(grantedAt !== undefined && { kubeletRestart: { grantedAt } }) },
})
const at = '2026-11-16T14:02:00Z'

let clock: VirtualClock
let turns: GrantedTurns
beforeEach(() => {
  clock = new VirtualClock()
  turns = new GrantedTurns(clock)
})

describe('granted turns', () => {
  it('count from when this operator learns of them, independent of their timestamp', async () => {
    expect(turns.heldMs(trust('1', '1999-01-01T00:00:00Z'))).toBe(0)
    await clock.advance(5000)
    expect(turns.heldMs(trust('2', '1999-01-01T00:00:00Z'))).toBe(5000)
    expect(turns.heldMs(trust('3', at))).toBe(0)
    expect(turns.heldMs(trust('4'))).toBeUndefined()
  })

  it('count again from when the node started them', async () => {
    expect(turns.heldMs(trust('1', at))).toBe(0)
    await clock.advance(86_400_000)
    const startedAt = '2026-11-17T14:02:00Z'
    const begun = { ...trust('2', at), status: { kubeletRestart: { requestedAt: at, startedAt } } }
    expect(turns.heldMs(begun)).toBe(0)
    await clock.advance(5000)
    expect(turns.heldMs(begun)).toBe(5000)
  })

  it('are known before the cache contains them, until it contains a newer version', () => {
    const written = trust('10', at)
    turns.wrote(written)
    expect(turns.newest(trust('9'))).toBe(written)
    const newer = trust('11')
    expect(turns.newest(newer)).toBe(newer)
    expect(turns.newest({ ...newer, metadata: { ...newer.metadata, uid: 'v' } }).spec).toEqual({})
  })

  it('without a response to their write count as granted until the cache changes, or for a minute', async () => {
    turns.mayBeGranted('worker-0', '7')
    expect(turns.heldMs(trust('7'))).toBe(0)
    expect(turns.heldMs(trust('8'))).toBeUndefined()
    expect(turns.heldMs(trust('7'))).toBeUndefined()
    turns.mayBeGranted('worker-0', '8')
    await clock.advance(60_000)
    expect(turns.heldMs(trust('8'))).toBeUndefined()
  })
})
