import { describe, expect, it } from 'vitest'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { OwnWrites } from './own-writes.ts'

const object = (resourceVersion: string, uid = 'u') => ({
  metadata: { name: 'n', uid, resourceVersion },
})

describe('own writes', () => {
  it('replace cached objects while the cache is behind', () => {
    const writes = new OwnWrites(new VirtualClock())
    writes.remember(object('10'))
    expect(writes.newest('n', object('9'))?.metadata.resourceVersion).toBe('10')
    expect(writes.newest('n', object('10'))?.metadata.resourceVersion).toBe('10')
    expect(writes.size).toBe(0)
    expect(writes.newest('n', object('9'))?.metadata.resourceVersion).toBe('9')
  })

  it('are dropped when the object is deleted or replaced', () => {
    const writes = new OwnWrites(new VirtualClock())
    writes.remember(object('10'))
    expect(writes.newest('n', undefined)).toBeUndefined()
    writes.remember(object('10'))
    expect(writes.newest('n', object('9', 'other'))?.metadata.uid).toBe('other')
  })

  it('are dropped after a conflict', () => {
    const writes = new OwnWrites(new VirtualClock())
    writes.remember(object('10'))
    writes.forget('n')
    expect(writes.newest('n', object('9'))?.metadata.resourceVersion).toBe('9')
  })

  it('are dropped after a list that started later: a restored server does not have them', async () => {
    const clock = new VirtualClock()
    const writes = new OwnWrites(clock)
    const begunBefore = clock.elapsed()
    await clock.advance(1)
    writes.remember(object('10'))
    writes.relisted(begunBefore)
    expect(writes.newest('n', object('9'))?.metadata.resourceVersion).toBe('10')
    await clock.advance(1)
    writes.relisted(clock.elapsed())
    expect(writes.newest('n', object('9'))?.metadata.resourceVersion).toBe('9')
  })
})
