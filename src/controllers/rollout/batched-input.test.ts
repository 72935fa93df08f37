import { describe, expect, it } from 'vitest'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { batched } from './batched-input.ts'

describe('a batched input', () => {
  it('asks once for many changes, and again for later ones', async () => {
    const clock = new VirtualClock()
    let tell: (key: string, priority: number) => void = () => {}
    const source = {
      resource: 'Node',
      synced: () => Promise.resolve(true),
      subscribe: (enqueue: typeof tell) => {
        tell = enqueue
        return () => {}
      },
    }
    const asked: string[] = []
    const leave = batched(source, clock, 1000).subscribe((key) => void asked.push(key))
    for (let i = 0; i < 500; i++) tell('worker', 0)
    tell('master', 0)
    await clock.advance(1000)
    expect(asked).toEqual(['worker', 'master'])
    tell('worker', 0)
    leave()
    await clock.advance(5000)
    expect(asked).toEqual(['worker', 'master'])
  })
})
