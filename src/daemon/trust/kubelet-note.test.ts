import { describe, expect, it } from 'vitest'
import type { KubeletNote } from './kubelet-note.ts'
import { noteOfSight } from './kubelet-note.ts'

const at = '2026-11-17T22:00:00Z'
const note: KubeletNote = { loaded: ['a'], bootId: '1', writtenAt: '2026-11-17T21:00:00Z' }

describe('a look at the kubelet', () => {
  it('proves nothing the first time', () => {
    const first = noteOfSight(note, { start: '10', fingerprints: ['b', 'a'], at })
    expect(first).toEqual({ ...note, seen: { start: '10', fingerprints: ['a', 'b'] } })
    expect(noteOfSight(first, { start: '10', fingerprints: ['a', 'b'], at })).toBe(first)
  })

  it('proves that a kubelet loaded what was seen before it was started', () => {
    const seen = { ...note, seen: { start: '10', fingerprints: ['a', 'b'] } }
    expect(noteOfSight(seen, { start: '20', fingerprints: ['a', 'b'], at })).toEqual({
      ...note,
      loaded: ['a', 'b'],
      loadedAt: at,
      seen: { start: '20', fingerprints: ['a', 'b'] },
    })
  })

  it('proves nothing about what came since', () => {
    const seen = { ...note, seen: { start: '10', fingerprints: ['a', 'b'] } }
    expect(noteOfSight(seen, { start: '20', fingerprints: ['a', 'b', 'c'], at })).toEqual({
      ...note,
      loaded: ['a', 'b'],
      loadedAt: at,
      seen: { start: '20', fingerprints: ['a', 'b', 'c'] },
    })
  })
})
