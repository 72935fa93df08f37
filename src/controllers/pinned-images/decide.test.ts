import { describe, expect, it } from 'vitest'
import { pinnedImageSetVersionOf } from '../../api/pinned-images.ts'
import type { MachineConfigPool, PinnedImageSet } from '../../api/kinds/resources.ts'
import { digestsOf } from './publish-digests.ts'
import { decide, statusAfter } from './decide.ts'
import { pinnedStateOf } from './node-state.ts'

const set = (name: string, generation = 1): PinnedImageSet => ({
  metadata: { name, uid: `uid-${name}`, generation },
  spec: { pinnedImages: [] },
})
const pool = (listed?: string[], status?: MachineConfigPool['status']): MachineConfigPool => ({
  metadata: { name: 'worker', generation: 7 },
  spec: { ...(listed && { pinnedImageSets: listed.map((name) => ({ name })) }) },
  ...(status && { status }),
})
const counts = { machine: 4, updated: 2, ready: 1, unavailable: 2, failed: 1 }
const now = '2026-01-01T00:00:00Z'

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

describe('a node', () => {
  const desired = { digest: 'd', sets: [set('a', 2), set('b', 1)].map(pinnedImageSetVersionOf) }
  const has = (name: string, generation: number) => ({
    name,
    desiredGeneration: generation,
    currentGeneration: generation,
  })

  it.each([
    ['has all', [has('a', 2), has('b', 1)], 'updated'],
    ['has all, and something else', [has('a', 2), has('b', 1), has('z', 9)], 'updated'],
    ['has no report', undefined, 'behind'],
    ['has an empty report', [], 'behind'],
    ['lacks a set', [has('a', 2)], 'behind'],
    ['has an older generation', [has('a', 1), has('b', 1)], 'behind'],
    [
      'is on its way',
      [{ name: 'a', desiredGeneration: 2, currentGeneration: 1 }, has('b', 1)],
      'behind',
    ],
    [
      'failed this generation',
      [{ name: 'a', desiredGeneration: 2, lastFailedGeneration: 2 }],
      'failed',
    ],
    [
      'failed an older one',
      [{ name: 'a', desiredGeneration: 1, lastFailedGeneration: 1 }],
      'behind',
    ],
  ])('that %s', (_, sets, state) => {
    for (const digest of ['d', undefined]) {
      expect(pinnedStateOf(desired, sets && { sets, digest })).toBe(state)
    }
  })

  it('that reports other sets is behind', () => {
    const failed = { name: 'a', desiredGeneration: 2, lastFailedGeneration: 2 }
    for (const sets of [[has('a', 2), has('b', 1)], [failed]]) {
      expect(pinnedStateOf(desired, { sets, digest: 'of others' })).toBe('behind')
    }
  })
})

describe('the published digests', () => {
  const sets = new Map(['a', 'b'].map((name) => [name, set(name)]))
  const digests = (...pools: MachineConfigPool[]) => digestsOf(pools, (name) => sets.get(name))

  it('are one per pool with existing sets', () => {
    const published = digests(pool(['a', 'b']), { ...pool(['a']), metadata: { name: 'infra' } })
    expect([...published.keys()]).toEqual(['worker', 'infra'])
    expect(published.get('worker')).not.toBe(published.get('infra'))
    expect(digests(pool(), { ...pool(['gone']), metadata: { name: 'infra' } })).toEqual(new Map())
    expect(digests(pool(['a', 'gone']))).toEqual(digests(pool(['a'])))
  })

  it('do not include a pool that is being deleted', () => {
    const metadata = { name: 'worker', deletionTimestamp: now }
    expect(digests({ ...pool(['a']), metadata })).toEqual(new Map())
  })
})
