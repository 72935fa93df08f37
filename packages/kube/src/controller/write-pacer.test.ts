import { expect, it } from 'vitest'
import { WritePacer } from './write-pacer.ts'

it('nothing pending needs no write', () => {
  const pace = new WritePacer(2000)
  expect(pace.waitMs('none', 0)).toBeUndefined()
})

it('changes are batched, and dropped if they are reverted meanwhile', () => {
  const pace = new WritePacer(2000)
  expect(pace.waitMs('transition', 100)).toBe(2000)
  expect(pace.waitMs('transition', 1100)).toBe(1000)
  expect(pace.waitMs('none', 2000)).toBeUndefined()
  expect(pace.waitMs('transition', 3000)).toBe(2000)
  expect(pace.waitMs('transition', 5000)).toBe(0)
})

it('thousands of reports result in a few writes, and the last one is not late', () => {
  const pace = new WritePacer(2000)
  let isFirst = true
  const writes: number[] = []
  // One node every 12 ms: one minute in total.
  for (let tick = 0, left = 5000; left >= 0; tick++, left--) {
    const now = tick * 12
    if (pace.waitMs(isFirst || left === 0 ? 'transition' : 'more', now) !== 0) continue
    writes.push(now)
    pace.wrote(now)
    isFirst = false
  }
  expect(writes.map((at) => Math.round(at / 1000))).toEqual([2, 4, 8, 16, 32, 60])
})
