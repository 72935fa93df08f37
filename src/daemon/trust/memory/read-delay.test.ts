import { describe, expect, it } from 'vitest'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { ReadDelay } from './read-delay.ts'
import { ItemFailures } from './item-failures.ts'

const items = ['cloud-ca'] as const
const half = { next: () => 0.5 }
const desired = (digest: string): { delivery: 'direct'; digests: { 'cloud-ca': string } } => ({
  delivery: 'direct',
  digests: { 'cloud-ca': digest },
})

describe('the read delay', () => {
  it('spreads over a period, a shorter one after a start, and is zero for a change on disk', async () => {
    const clock = new VirtualClock()
    const delay = new ReadDelay(clock, half, 10_000)
    expect(delay.before(desired('a'), items)).toBe(1000)
    await clock.advance(400)
    expect(delay.before(desired('b'), items)).toBe(600)
    delay.done(desired('b'), items)
    expect(delay.before(desired('b'), items)).toBe(0)
    expect(delay.before(desired('c'), items)).toBe(5000)
  })

  it('grows while another writer reverts the file, and starts over after a quiet time', async () => {
    const clock = new VirtualClock()
    const delay = new ReadDelay(clock, half, 0)
    const pauses: number[] = []
    for (let i = 0; i < 12; i++) {
      pauses.push(delay.before(desired('a'), items))
      await clock.advance(pauses.at(-1)!)
      delay.done(desired('a'), items)
    }
    expect(pauses.slice(0, 6)).toEqual([0, 0, 1000, 2000, 4000, 8000])
    expect(pauses.at(-1)).toBe(300_000)
    await clock.advance(900_000)
    delay.done(desired('a'), items)
    expect(delay.before(desired('a'), items)).toBe(0)
  })

  it('grows after failures, up to about a minute', () => {
    const delay = new ReadDelay(new VirtualClock(), half, 0)
    const pauses = Array.from({ length: 8 }, () => delay.afterFailure())
    expect(pauses).toEqual([1250, 2500, 5000, 10_000, 20_000, 40_000, 75_000, 75_000])
    delay.succeeded()
    expect(delay.afterFailure()).toBe(1250)
  })
})

describe('item failures', () => {
  it('back off independently, and final ones until they are reconsidered', async () => {
    const clock = new VirtualClock()
    const failures = new ItemFailures(clock, { next: () => 0 })
    failures.add('cloud-ca', { desired: 'x', message: 'EIO' })
    failures.add('registry-cas', { desired: 'y', message: 'nonsense', isFinal: true })
    expect(failures.waitMs()).toBe(5000)
    await clock.advance(5000)
    expect(failures.of('cloud-ca')).toEqual({ desired: 'x', message: 'EIO', isBackingOff: false })
    expect(failures.of('registry-cas')).toEqual({
      desired: 'y',
      message: 'nonsense',
      isBackingOff: true,
    })
    failures.add('cloud-ca', { desired: 'x', message: 'EIO' })
    expect(failures.waitMs()).toBe(10_000)
    failures.add('cloud-ca', { desired: 'other', message: 'EIO' })
    expect(failures.waitMs()).toBe(5000)
    failures.reconsider('cloud-ca')
    failures.reconsider('registry-cas')
    expect([failures.of('cloud-ca')?.isBackingOff, failures.of('registry-cas')]).toEqual([
      true,
      undefined,
    ])
    failures.clear('cloud-ca')
    expect(failures.waitMs()).toBeUndefined()
  })
})
