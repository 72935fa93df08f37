import { describe, expect, it } from 'vitest'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { Heap } from './idle-memory.ts'
import { componentIdle, daemonIdle, releaseIdleMemory, ownHeap } from './idle-memory.ts'

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

describe('releasing idle memory', () => {
  it('collects once after the work', async () => {
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

  it('collects again after more work, but not for little garbage', async () => {
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

  it('does not collect repeatedly if all memory is needed', async () => {
    const { heap, clock, stop } = started()
    await clock.advance(6000)
    heap.needed = 50_000_000
    await clock.advance(3_600_000)
    expect(heap.collections).toBe(2)
    stop.abort()
  })

  it('treats a component that only receives heartbeats as idle', async () => {
    const { heap, clock, stop } = started(componentIdle)
    await clock.advance(6000)
    expect(heap.collections).toBe(1)
    for (let step = 0; step < 6; step++) {
      heap.garbage += 1_500_000
      await clock.advance(3000)
    }
    expect(heap.collections).toBe(2)
    stop.abort()
  })

  it('ends when the signal aborts', async () => {
    const { heap, clock, stop, end } = started()
    stop.abort()
    await end
    heap.garbage = 5_000_000
    await clock.advance(60_000)
    expect(heap.collections).toBe(0)
  })

  it('is left to V8 without --expose-gc', () => {
    expect(ownHeap()).toBeUndefined()
  })
})

interface Started {
  readonly heap: TrialHeap
  readonly clock: VirtualClock
  readonly stop: AbortController
  readonly end: Promise<void>
}

function started(rest = daemonIdle): Started {
  const heap = new TrialHeap()
  const clock = new VirtualClock()
  const stop = new AbortController()
  return { heap, clock, stop, end: releaseIdleMemory(heap, clock, stop.signal, rest) }
}
