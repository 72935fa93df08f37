import { expect, it } from 'vitest'
import { createLogger } from '@machinist/core/log'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { ThrottledLog } from './throttled-log.ts'

it('each kind is logged once per minute, with the number of omitted lines', async () => {
  const clock = new VirtualClock()
  const lines: unknown[] = []
  const log = createLogger({
    clock,
    write: (line) => {
      const { msg, n, repeated } = JSON.parse(line) as Record<string, unknown>
      lines.push([msg, n, repeated])
    },
  })
  const throttled = new ThrottledLog(log, clock)
  for (let n = 0; n < 5; n++) throttled.info('a', 'first', { n })
  throttled.info('b', 'second', { n: 0 })
  await clock.advance(60_000)
  throttled.info('a', 'first', { n: 5 })
  throttled.info('b', 'second', { n: 1 })
  expect(lines).toEqual([
    ['first', 0, undefined],
    ['second', 0, undefined],
    ['first', 5, 4],
    ['second', 1, undefined],
  ])
})
