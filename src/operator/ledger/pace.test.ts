import { expect, it } from 'vitest'
import type { ConditionReport } from '../../api/conditions.ts'
import { Pace } from './pace.ts'

const says = (message: string, status: ConditionReport['status'] = 'False'): ConditionReport => ({
  type: 'T',
  status,
  reason: 'R',
  message,
})

it('what has been said is not said again', () => {
  const pace = new Pace(2000)
  expect(pace.waitMs(says('a'), says('a'), 0)).toBeUndefined()
})

it('news wait a moment for others, and are forgotten when they are over by then', () => {
  const pace = new Pace(2000)
  const said = says('', 'True')
  expect(pace.waitMs(said, says('9 of 9'), 100)).toBe(2000)
  expect(pace.waitMs(said, says('3 of 9'), 1100)).toBe(1000)
  expect(pace.waitMs(said, says('', 'True'), 2000)).toBeUndefined()
  expect(pace.waitMs(said, says('1 of 9'), 3000)).toBe(2000)
  expect(pace.waitMs(said, says('1 of 9'), 5000)).toBe(0)
})

it('thousands of reports are a handful of writes, and the last one is not late', () => {
  const pace = new Pace(2000)
  let said: ConditionReport | undefined = says('', 'True')
  const writes: number[] = []
  // One node a tick of 12 ms: a minute in all.
  for (let tick = 0, left = 5000; left >= 0; tick++, left--) {
    const now = tick * 12
    const report = left > 0 ? says(`${left} of 5000`) : says('', 'True')
    if (pace.waitMs(said, report, now) !== 0) continue
    writes.push(now)
    pace.wrote(now)
    said = report
  }
  expect(writes.map((at) => Math.round(at / 1000))).toEqual([2, 4, 8, 16, 32, 60])
  expect(said?.status).toBe('True')
})
