import { expect, it } from 'vitest'
import { Pace } from './pace.ts'

it('what has been said is not said again', () => {
  const pace = new Pace(2000)
  expect(pace.waitMs('none', 0)).toBeUndefined()
})

it('news wait a moment for others, and are forgotten when they are over by then', () => {
  const pace = new Pace(2000)
  expect(pace.waitMs('turn', 100)).toBe(2000)
  expect(pace.waitMs('turn', 1100)).toBe(1000)
  expect(pace.waitMs('none', 2000)).toBeUndefined()
  expect(pace.waitMs('turn', 3000)).toBe(2000)
  expect(pace.waitMs('turn', 5000)).toBe(0)
})

it('thousands of reports are a handful of writes, and the last one is not late', () => {
  const pace = new Pace(2000)
  let isFirst = true
  const writes: number[] = []
  // One node a tick of 12 ms: a minute in all.
  for (let tick = 0, left = 5000; left >= 0; tick++, left--) {
    const now = tick * 12
    if (pace.waitMs(isFirst || left === 0 ? 'turn' : 'more', now) !== 0) continue
    writes.push(now)
    pace.wrote(now)
    isFirst = false
  }
  expect(writes.map((at) => Math.round(at / 1000))).toEqual([2, 4, 8, 16, 32, 60])
})
