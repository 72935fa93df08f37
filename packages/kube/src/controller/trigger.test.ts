import { describe, expect, it } from 'vitest'
import { Trigger } from './trigger.ts'

describe('a trigger', () => {
  it('enqueues keys while a controller is subscribed', async () => {
    const trigger = new Trigger('files')
    const enqueued: [string, number][] = []
    const unsubscribe = trigger.subscribe((...work) => void enqueued.push(work))
    trigger.trigger('a')
    trigger.trigger('a')
    unsubscribe()
    trigger.trigger('b')
    expect(enqueued).toEqual([
      ['a', 0],
      ['a', 0],
    ])
    expect(await trigger.synced()).toBe(true)
  })

  it('keeps keys until a controller subscribes', () => {
    const trigger = new Trigger('files')
    trigger.trigger('a')
    trigger.trigger('a')
    trigger.trigger('b')
    const enqueued: string[] = []
    trigger.subscribe((key) => void enqueued.push(key))
    expect(enqueued).toEqual(['a', 'b'])
  })
})
