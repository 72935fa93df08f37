import { describe, expect, it } from 'vitest'
import type { MachineConfigPool } from '../../api/kinds/resources.ts'
import { statusAfter } from './status.ts'

const pool = (listed?: string[], status?: MachineConfigPool['status']): MachineConfigPool => ({
  metadata: { name: 'worker', generation: 7 },
  spec: { ...(listed && { pinnedImageSets: listed.map((name) => ({ name })) }) },
  ...(status && { status }),
})
const counts = { machine: 4, updated: 2, ready: 1, unavailable: 2, failed: 1 }
const now = '2026-01-01T00:00:00Z'

describe('the status of a pool', () => {
  const updated = { type: 'Updated', status: 'True' as const, lastTransitionTime: now }
  const fine = {
    type: 'PinnedImageSetsDegraded',
    status: 'False' as const,
    reason: '',
    message: '',
    lastTransitionTime: now,
  }

  it('has the progress of its nodes, and keeps other fields', () => {
    const before = pool(['a'], { machineCount: 4, conditions: [updated] })
    expect(statusAfter(before, { counts }, now)).toEqual({
      machineCount: 4,
      conditions: [updated, fine],
      poolSynchronizersStatus: [
        {
          poolSynchronizerType: 'PinnedImageSets',
          machineCount: 4,
          updatedMachineCount: 2,
          readyMachineCount: 1,
          availableMachineCount: 2,
          unavailableMachineCount: 2,
          observedGeneration: 7,
        },
      ],
    })
  })

  it('is the same object if nothing changes', () => {
    const first = pool(['a'], { ...statusAfter(pool(['a']), { counts }, now) })
    expect(statusAfter(first, { counts }, '2027-01-01T00:00:00Z')).toBe(first.status)
    const none = pool(undefined, { conditions: [fine] })
    expect(statusAfter(none, { counts: undefined }, now)).toBe(none.status)
  })

  it('has no progress without pinned images', () => {
    const before = pool(undefined, { ...statusAfter(pool(['a']), { counts }, now) })
    expect(statusAfter(before, { counts: undefined }, now)).toEqual({ conditions: [fine] })
  })

  it('has the reason if the list cannot be written', () => {
    const { conditions } = statusAfter(pool(), { problem: 'because', counts: undefined }, now)
    expect(conditions).toEqual([
      {
        type: 'PinnedImageSetsDegraded',
        status: 'True',
        reason: 'PinnedImageSetsNotListed',
        message: 'Failed to populate pinned image sets for pool worker: because',
        lastTransitionTime: now,
      },
    ])
  })
})
