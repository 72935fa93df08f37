import { describe, expect, it } from 'vitest'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { batchInput } from './batched-input.ts'

describe('a batched input', () => {
  it('enqueues a key once for many changes, and again for later ones', async () => {
    const clock = new VirtualClock()
    let enqueueKey: (key: string, priority: number) => void = () => {}
    const source = {
      resource: 'Node',
      synced: () => Promise.resolve(true),
      subscribe: (enqueue: typeof enqueueKey) => {
        enqueueKey = enqueue
        return () => {}
      },
    }
    const keys: string[] = []
    const unsubscribe = batchInput(source, clock, 1000).subscribe((key) => void keys.push(key))
    for (let i = 0; i < 500; i++) enqueueKey('worker', 0)
    enqueueKey('master', 0)
    await clock.advance(1000)
    expect(keys).toEqual(['worker', 'master'])
    enqueueKey('worker', 0)
    unsubscribe()
    await clock.advance(5000)
    expect(keys).toEqual(['worker', 'master'])
  })
})
