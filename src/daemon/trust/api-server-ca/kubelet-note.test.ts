import { describe, expect, it } from 'vitest'
import type { KubeletNote } from './kubelet-note.ts'
import { noteAfter } from './kubelet-note.ts'

const at = '2026-11-17T22:00:00Z'
const note: KubeletNote = { loaded: ['a'], bootId: '1', writtenAt: '2026-11-17T21:00:00Z' }

describe('an observation of the kubelet', () => {
  it('proves nothing the first time', () => {
    const first = noteAfter(note, { start: '10', fingerprints: ['b', 'a'], at })
    expect(first).toEqual({ ...note, seen: { start: '10', fingerprints: ['a', 'b'] } })
    expect(noteAfter(first, { start: '10', fingerprints: ['a', 'b'], at })).toBe(first)
  })

  it('proves that a kubelet loaded the CAs that were seen before it started', () => {
    const seen = { ...note, seen: { start: '10', fingerprints: ['a', 'b'] } }
    expect(noteAfter(seen, { start: '20', fingerprints: ['a', 'b'], at })).toEqual({
      ...note,
      loaded: ['a', 'b'],
      loadedAt: at,
      seen: { start: '20', fingerprints: ['a', 'b'] },
    })
  })

  it('proves nothing about later CAs', () => {
    const seen = { ...note, seen: { start: '10', fingerprints: ['a', 'b'] } }
    expect(noteAfter(seen, { start: '20', fingerprints: ['a', 'b', 'c'], at })).toEqual({
      ...note,
      loaded: ['a', 'b'],
      loadedAt: at,
      seen: { start: '20', fingerprints: ['a', 'b', 'c'] },
    })
  })
})
