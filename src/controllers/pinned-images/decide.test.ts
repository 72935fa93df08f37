import { describe, expect, it } from 'vitest'
import type { MachineConfigPool, PinnedImageSet } from '../../api/kinds/resources.ts'
import { decide } from './decide.ts'

const set = (name: string): PinnedImageSet => ({
  metadata: { name, uid: `uid-${name}`, generation: 1 },
  spec: { pinnedImages: [] },
})
const pool = (listed?: string[]): MachineConfigPool => ({
  metadata: { name: 'worker', generation: 7 },
  spec: { ...(listed && { pinnedImageSets: listed.map((name) => ({ name })) }) },
})
const counts = { machine: 4, updated: 2, ready: 1, unavailable: 2, failed: 1 }

describe('the list of a pool', () => {
  it('is written only if it differs', () => {
    const selection = { sets: [set('a'), set('b')] }
    expect(decide({ pool: pool(), selection, counts })).toEqual({
      list: [{ name: 'a' }, { name: 'b' }],
      counts,
    })
    expect(decide({ pool: pool(['a', 'b']), selection, counts })).toEqual({ counts })
    expect(decide({ pool: pool(['b', 'a']), selection, counts })).toHaveProperty('list')
  })

  it('is removed with the last set, and never empty', () => {
    const selection = { sets: [] }
    expect(decide({ pool: pool(['a']), selection, counts })).toEqual({
      list: null,
      counts: undefined,
    })
    expect(decide({ pool: pool(), selection, counts })).toEqual({ counts: undefined })
    expect(decide({ pool: pool([]), selection, counts })).toEqual({ counts: undefined })
  })

  it('is not changed while the selector is invalid', () => {
    const selection = { problem: 'because' }
    expect(decide({ pool: pool(['a']), selection, counts })).toEqual({ problem: 'because', counts })
    expect(decide({ pool: pool(), selection, counts })).toEqual({
      problem: 'because',
      counts: undefined,
    })
  })
})
