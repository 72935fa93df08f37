import { describe, expect, it } from 'vitest'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { Changes, ChangeWait } from './changes.ts'

it('changes notify all subscribers until their subscription ends', () => {
  const changes = new Changes()
  const seen: string[] = []
  const end = changes.subscribe(() => seen.push('a'))
  changes.subscribe(() => seen.push('b'))
  changes.notify()
  end()
  changes.notify()
  expect(seen).toEqual(['a', 'b', 'b'])
})

describe('a loop that waits', () => {
  const clock = new VirtualClock()
  const stop = new AbortController()
  const wait = new ChangeWait(clock, stop.signal)

  it('continues after a change', async () => {
    const next = wait.next(1000)
    wait.changed()
    expect(await next).toBe(true)
    expect(clock.elapsed()).toBe(0)
  })

  it('continues at once after a change that it did not wait for, and only once', async () => {
    wait.changed()
    wait.changed()
    expect(await wait.next(1000)).toBe(true)
    const next = wait.next(1000)
    await clock.advance(1000)
    expect(await next).toBe(false)
  })

  it('continues when it is stopped', async () => {
    const next = wait.next(1000)
    stop.abort()
    expect(await next).toBe(false)
    expect(await wait.next(1000)).toBe(false)
  })
})
