import { describe, expect, it } from 'vitest'
import { decide } from './decide.ts'
import type { PinnedImagesFacts } from './facts.ts'

const sets = [{ name: 'one', uid: 'u', generation: 1, images: ['a'] }]
const facts = (digest: string | undefined, more: Partial<PinnedImagesFacts> = {}) => ({
  desired: { pool: 'worker', ...(digest !== undefined && { digest }) },
  waitMs: 0,
  ...more,
})

describe('pinned images', () => {
  it('are prefetched if their sets are known', () => {
    const notes = { digest: '1', sets }
    expect(decide(facts('1', { notes }))).toEqual({ action: 'prefetch', sets })
  })

  it('are read if their digest is new, after a delay', () => {
    const notes = { digest: '1', sets }
    expect(decide(facts('2', { notes, waitMs: 5 }))).toEqual({ action: 'wait', forMs: 5 })
    expect(decide(facts('2', { notes }))).toEqual({
      action: 'readSets',
      pool: 'worker',
      digest: '2',
    })
  })

  it('are prefetched after one read, even if their digest is not the announced one', () => {
    const notes = { digest: '3', sets }
    const previous = { type: 'read', digest: '2' } as const
    const prefetch = { action: 'prefetch', sets }
    expect(decide(facts('2', { notes, previous, waitMs: 5 }))).toEqual(prefetch)
    expect(decide(facts('4', { notes, previous, waitMs: 5 }))).toEqual({ action: 'wait', forMs: 5 })
  })

  it('are unpinned after a delay, and forgotten after the report', () => {
    const previous = { type: 'released' } as const
    expect(decide(facts(undefined, { waitMs: 5 }))).toEqual({ action: 'wait', forMs: 5 })
    expect(decide(facts(undefined))).toEqual({ action: 'release' })
    expect(decide(facts(undefined, { previous }))).toEqual({ action: 'removeNotes' })
  })

  it('are read if they are announced again right after the release', () => {
    const previous = { type: 'released' } as const
    expect(decide(facts('1', { previous }))).toMatchObject({ action: 'readSets' })
  })
})
