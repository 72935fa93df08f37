import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Heap } from './heap.ts'

interface Ticket {
  rank: number
}

const drain = (heap: Heap<Ticket>): number[] => {
  const ranks: number[] = []
  for (let item = heap.pop(); item; item = heap.pop()) ranks.push(item.rank)
  return ranks
}

const byRank = (a: Ticket, b: Ticket): boolean => a.rank < b.rank

describe('Heap', () => {
  it('pops in order', () => {
    const heap = new Heap(byRank)
    for (const rank of [5, 1, 4, 2, 3]) heap.push({ rank })
    expect(heap.first).toEqual({ rank: 1 })
    expect(heap.size).toBe(5)
    expect(drain(heap)).toEqual([1, 2, 3, 4, 5])
    expect(heap.pop()).toBeUndefined()
    expect(heap.first).toBeUndefined()
  })

  it('returns the first items and keeps them', () => {
    const heap = new Heap(byRank)
    for (const rank of [5, 1, 4, 2, 3]) heap.push({ rank })
    expect(heap.few(2)).toEqual([{ rank: 1 }, { rank: 2 }])
    expect(heap.few(9).map(({ rank }) => rank)).toEqual([1, 2, 3, 4, 5])
    expect(heap.size).toBe(5)
  })

  it('knows its items and can be cleared', () => {
    const heap = new Heap(byRank)
    const item = { rank: 1 }
    heap.push(item)
    expect(heap.has(item)).toBe(true)
    expect(heap.has({ rank: 1 })).toBe(false)
    heap.clear()
    expect(heap.has(item)).toBe(false)
    expect(heap.size).toBe(0)
  })

  it('ignores unknown items', () => {
    const heap = new Heap(byRank)
    heap.push({ rank: 1 })
    heap.remove({ rank: 1 })
    heap.moved({ rank: 0 })
    expect(drain(heap)).toEqual([1])
  })

  it('stays ordered after pushes, removals and changes', () => {
    const step = fc.oneof(
      fc.record({ act: fc.constant('push' as const), rank: fc.nat(50), at: fc.nat() }),
      fc.record({ act: fc.constant('remove' as const), rank: fc.nat(50), at: fc.nat() }),
      fc.record({ act: fc.constant('change' as const), rank: fc.nat(50), at: fc.nat() }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const heap = new Heap(byRank)
        const plain: Ticket[] = []
        for (const { act, rank, at } of steps) {
          const item = plain[at % Math.max(plain.length, 1)]
          if (act === 'push' || !item) {
            const made = { rank }
            heap.push(made)
            plain.push(made)
          } else if (act === 'remove') {
            heap.remove(item)
            plain.splice(plain.indexOf(item), 1)
          } else {
            item.rank = rank
            heap.moved(item)
          }
        }
        const ranks = plain.map((item) => item.rank).sort((a, b) => a - b)
        expect(drain(heap)).toEqual(ranks)
      }),
    )
  })
})
