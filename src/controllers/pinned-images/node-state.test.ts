import { describe, expect, it } from 'vitest'
import type { PinnedImageSet } from '../../api/kinds/resources.ts'
import { pinnedImageSetVersionOf } from '../../api/pinned-images.ts'
import { pinnedStateOf } from './node-state.ts'

const set = (name: string, generation: number): PinnedImageSet => ({
  metadata: { name, uid: `uid-${name}`, generation },
  spec: { pinnedImages: [] },
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
