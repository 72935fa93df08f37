import { expect, it } from 'vitest'
import { timingOf } from './lead.ts'

it('the shares of a lease are those of the original', () => {
  expect(timingOf(137)).toEqual({ leaseMs: 137_000, renewMs: 107_000, retryMs: 26_000 })
})
