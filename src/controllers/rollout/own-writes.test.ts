import { describe, expect, it } from 'vitest'
import { VirtualClock } from '../../base/virtual-clock.ts'
import { batched } from './batched-input.ts'
import { OwnWrites } from './own-writes.ts'

const object = (resourceVersion: string, uid = 'u') => ({
  metadata: { name: 'n', uid, resourceVersion },
})

describe('own writes', () => {
  it('stand in for a cache that lags behind, and only for that long', () => {
    const writes = new OwnWrites()
    writes.remember(object('10'))
    expect(writes.newest('n', object('9'))?.metadata.resourceVersion).toBe('10')
    expect(writes.newest('n', object('10'))?.metadata.resourceVersion).toBe('10')
    expect(writes.size).toBe(0)
    expect(writes.newest('n', object('9'))?.metadata.resourceVersion).toBe('9')
  })

  it('are forgotten when the object is gone, or is another one', () => {
    const writes = new OwnWrites()
    writes.remember(object('10'))
    expect(writes.newest('n', undefined)).toBeUndefined()
    writes.remember(object('10'))
    expect(writes.newest('n', object('9', 'other'))?.metadata.uid).toBe('other')
  })
})

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
