import { describe, expect, it } from 'vitest'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { Delay } from './delay.ts'
import { Troubles } from './troubles.ts'

const items = ['cloud-ca'] as const
const half = { next: () => 0.5 }
const wanted = (digest: string): { delivery: 'direct'; digests: { 'cloud-ca': string } } => ({
  delivery: 'direct',
  digests: { 'cloud-ca': digest },
})

describe('when to ask the cluster', () => {
  it('is spread over a time, less after a start, and at once for what is only ours', async () => {
    const clock = new VirtualClock()
    const delay = new Delay(clock, half, 10_000)
    expect(delay.before(wanted('a'), items)).toBe(1000)
    await clock.advance(400)
    expect(delay.before(wanted('b'), items)).toBe(600)
    delay.done(wanted('b'), items)
    expect(delay.before(wanted('b'), items)).toBe(0)
    expect(delay.before(wanted('c'), items)).toBe(5000)
  })

  it('comes later and later for somebody who undoes it, until there is quiet', async () => {
    const clock = new VirtualClock()
    const delay = new Delay(clock, half, 0)
    const pauses: number[] = []
    for (let i = 0; i < 12; i++) {
      pauses.push(delay.before(wanted('a'), items))
      await clock.advance(pauses.at(-1)!)
      delay.done(wanted('a'), items)
    }
    expect(pauses.slice(0, 6)).toEqual([0, 0, 1000, 2000, 4000, 8000])
    expect(pauses.at(-1)).toBe(300_000)
    await clock.advance(900_000)
    delay.done(wanted('a'), items)
    expect(delay.before(wanted('a'), items)).toBe(0)
  })

  it('comes later and later after failures, up to a minute and a bit', () => {
    const delay = new Delay(new VirtualClock(), half, 0)
    const pauses = Array.from({ length: 8 }, () => delay.afterFailure())
    expect(pauses).toEqual([1250, 2500, 5000, 10_000, 20_000, 40_000, 75_000, 75_000])
    delay.succeeded()
    expect(delay.afterFailure()).toBe(1250)
  })
})

describe('troubles', () => {
  it('rest for a time that grows, each by itself; what is refused rests until it is reconsidered', async () => {
    const clock = new VirtualClock()
    const troubles = new Troubles(clock, { next: () => 0 })
    troubles.add('cloud-ca', { wanted: 'x', message: 'EIO' })
    troubles.add('registry-cas', { wanted: 'y', message: 'nonsense', isFinal: true })
    expect(troubles.waitMs()).toBe(5000)
    await clock.advance(5000)
    expect(troubles.of('cloud-ca')).toEqual({ wanted: 'x', message: 'EIO', rests: false })
    expect(troubles.of('registry-cas')).toEqual({ wanted: 'y', message: 'nonsense', rests: true })
    troubles.add('cloud-ca', { wanted: 'x', message: 'EIO' })
    expect(troubles.waitMs()).toBe(10_000)
    troubles.add('cloud-ca', { wanted: 'other', message: 'EIO' })
    expect(troubles.waitMs()).toBe(5000)
    troubles.reconsider('cloud-ca')
    troubles.reconsider('registry-cas')
    expect([troubles.of('cloud-ca')?.rests, troubles.of('registry-cas')]).toEqual([true, undefined])
    troubles.over('cloud-ca')
    expect(troubles.waitMs()).toBeUndefined()
  })
})
