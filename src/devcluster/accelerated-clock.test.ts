import { expect, it } from 'vitest'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { acceleratedClock } from './accelerated-clock.ts'

it('shortens waits, measures their nominal duration, and shows the real time', async () => {
  const clock = new VirtualClock()
  const hurried = acceleratedClock(clock, 10)
  const began = hurried.elapsed()
  const log: number[] = []
  hurried.after(1000, () => log.push(hurried.elapsed() - began))
  await clock.advance(99)
  expect(log).toEqual([])
  await clock.advance(1)
  expect(log).toEqual([1000])
  expect(hurried.now()).toBe(clock.now())
})

it('is the clock itself at speed 1', () => {
  const clock = new VirtualClock()
  expect(acceleratedClock(clock, 1)).toBe(clock)
})
