import { describe, expect, it } from 'vitest'
import { seededRandom } from '@machinist/core/random'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { FollowMemory } from '../../../../src/daemon/follow/memory.ts'
import type { Difference } from '../../../../src/daemon/verify/difference.ts'
import { changedFile } from './facts.ts'

const still = { next: () => 0 }

describe('the memory', () => {
  it('increases the delay after each failure, up to a minute, until another attempt', () => {
    const memory = new FollowMemory(new VirtualClock(), still)
    const pauses = [1, 2, 3, 4, 5, 6, 7, 8].map(() => {
      memory.failed('a b', 'x')
      return memory.failure?.retryInMs
    })
    expect(pauses).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000])
    memory.failed('a c', 'x')
    expect(memory.failure?.retryInMs).toBe(1000)
    memory.succeeded()
    expect(memory.failure).toBeUndefined()
  })

  it('adds jitter to delays, so that nodes do not retry at the same time', () => {
    const memory = new FollowMemory(new VirtualClock(), seededRandom(3))
    memory.failed('a b', 'x')
    expect(memory.failure?.retryInMs).toBeGreaterThan(1000)
    expect(memory.failure?.retryInMs).toBeLessThan(1200)
  })

  it('keeps the result of a clean verification, and drops one with differences after a while', async () => {
    const clock = new VirtualClock()
    const memory = new FollowMemory(clock, still)
    memory.remember({ config: 'a', differences: [] })
    await clock.advance(24 * 3_600_000)
    expect(memory.checked?.config).toBe('a')
    memory.remember({ config: 'a', differences: [changedFile] })
    await clock.advance(29_000)
    expect(memory.checked?.differences).toHaveLength(1)
    await clock.advance(1000)
    expect(memory.checked).toBeUndefined()
  })

  it('remembers an OS difference that an update and its reboot left, so that it causes no second reboot', async () => {
    const clock = new VirtualClock()
    const memory = new FollowMemory(clock, still)
    const image: Difference = { kind: 'osImage', at: 'the OS image', what: 'is a, expected b' }
    memory.remember({ config: 'a', differences: [image], afterUpdate: true })
    await clock.advance(60_000)
    expect(memory.checked).toBeUndefined()
    memory.remember({ config: 'a', differences: [image] })
    expect(memory.checked?.afterUpdate).toBe(true)
    memory.remember({ config: 'a', differences: [{ ...image, what: 'is c, expected b' }] })
    expect(memory.checked?.afterUpdate).toBeUndefined()
    memory.remember({ config: 'a', differences: [changedFile], afterUpdate: true })
    memory.remember({ config: 'a', differences: [changedFile] })
    expect(memory.checked?.afterUpdate).toBeUndefined()
  })

  it('counts the time of a drain from its first observation', async () => {
    const clock = new VirtualClock()
    const memory = new FollowMemory(clock, still)
    const pending = { desired: 'drain-a', lastApplied: '' }
    expect(memory.waitedMs(pending)).toBe(0)
    await clock.advance(5000)
    expect(memory.waitedMs(pending)).toBe(5000)
    expect(memory.waitedMs({ desired: 'drain-b', lastApplied: '' })).toBe(0)
    expect(memory.waitedMs({ desired: 'drain-b', lastApplied: 'drain-b' })).toBe(0)
  })

  it('increases the delay after each error until a success', () => {
    const memory = new FollowMemory(new VirtualClock(), still)
    expect([memory.errorDelayMs(), memory.errorDelayMs()]).toEqual([1000, 2000])
    memory.resetErrors()
    expect(memory.errorDelayMs()).toBe(1000)
  })
})
