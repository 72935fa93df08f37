import { describe, expect, it } from 'vitest'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { LostTurns } from './lost-turns.ts'

const turn = (node: string, uid: string) => ({ node, uid, isControlPlane: true })

describe('lost turns', () => {
  it('count for two minutes when the NodeTrust of a granted turn is deleted', async () => {
    const clock = new VirtualClock()
    const turns = new LostTurns(clock)
    expect(turns.among([turn('a', '1'), turn('b', '2')])).toEqual([])
    expect(turns.among([turn('b', '2')])).toEqual([{ isControlPlane: true, leftMs: 120_000 }])
    await clock.advance(119_000)
    expect(turns.among([turn('b', '2')])).toEqual([{ isControlPlane: true, leftMs: 1000 }])
    await clock.advance(1000)
    expect(turns.among([turn('b', '2')])).toEqual([])
  })

  it('count beside the new turn of a recreated node', () => {
    const turns = new LostTurns(new VirtualClock())
    turns.among([turn('a', '1')])
    expect(turns.among([turn('a', '2')])).toHaveLength(1)
  })

  it('do not include turns that the operator removed itself', () => {
    const turns = new LostTurns(new VirtualClock())
    turns.among([turn('a', '1')])
    turns.released('a')
    expect(turns.among([])).toEqual([])
  })
})
