import { expect, it } from 'vitest'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { hurriedClock } from './hurried-clock.ts'

it('waits less, measures that as long, and shows the right time', async () => {
  const clock = new VirtualClock()
  const hurried = hurriedClock(clock, 10)
  const began = hurried.elapsed()
  const log: number[] = []
  hurried.after(1000, () => log.push(hurried.elapsed() - began))
  await clock.advance(99)
  expect(log).toEqual([])
  await clock.advance(1)
  expect(log).toEqual([1000])
  expect(hurried.now()).toBe(clock.now())
})

it('of no hurry is the clock itself', () => {
  const clock = new VirtualClock()
  expect(hurriedClock(clock, 1)).toBe(clock)
})
