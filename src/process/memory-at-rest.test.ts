import { describe, expect, it } from 'vitest'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { Heap } from './memory-at-rest.ts'
import { componentRest, daemonRest, giveMemoryBack, ownHeap } from './memory-at-rest.ts'

class TrialHeap implements Heap {
  needed = 10_000_000
  garbage = 0
  collections = 0

  used(): number {
    return this.needed + this.garbage
  }

  collect(): void {
    this.garbage = 0
    this.collections++
  }
}

describe('giving memory back', () => {
  it('waits until the work is over, and then collects once', async () => {
    const { heap, clock, stop } = started()
    for (let step = 0; step < 5; step++) {
      heap.garbage += 3_000_000
      await clock.advance(3000)
    }
    expect(heap.collections).toBe(0)
    await clock.advance(3000)
    expect(heap.collections).toBe(1)
    await clock.advance(3_600_000)
    expect(heap.collections).toBe(1)
    stop.abort()
  })

  it('collects again after the next work, but not for little', async () => {
    const { heap, clock, stop } = started()
    await clock.advance(6000)
    expect(heap.collections).toBe(1)
    heap.garbage = 900_000
    await clock.advance(60_000)
    expect(heap.collections).toBe(1)
    heap.garbage = 1_100_000
    await clock.advance(60_000)
    expect(heap.collections).toBe(2)
    stop.abort()
  })

  it('does not try again and again where everything is needed', async () => {
    const { heap, clock, stop } = started()
    await clock.advance(6000)
    heap.needed = 50_000_000
    await clock.advance(3_600_000)
    expect(heap.collections).toBe(2)
    stop.abort()
  })

  it('takes a component for resting that only hears heartbeats', async () => {
    const { heap, clock, stop } = started(componentRest)
    await clock.advance(6000)
    expect(heap.collections).toBe(1)
    for (let step = 0; step < 6; step++) {
      heap.garbage += 1_500_000
      await clock.advance(3000)
    }
    expect(heap.collections).toBe(2)
    stop.abort()
  })

  it('ends when it is told to', async () => {
    const { heap, clock, stop, end } = started()
    stop.abort()
    await end
    heap.garbage = 5_000_000
    await clock.advance(60_000)
    expect(heap.collections).toBe(0)
  })

  it('is left to V8 where Node was started without --expose-gc', () => {
    expect(ownHeap()).toBeUndefined()
  })
})

interface Started {
  readonly heap: TrialHeap
  readonly clock: VirtualClock
  readonly stop: AbortController
  readonly end: Promise<void>
}

function started(rest = daemonRest): Started {
  const heap = new TrialHeap()
  const clock = new VirtualClock()
  const stop = new AbortController()
  return { heap, clock, stop, end: giveMemoryBack(heap, clock, stop.signal, rest) }
}
