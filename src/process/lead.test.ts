import { expect, it } from 'vitest'
import { electionTiming } from './lead.ts'

it('the durations of a Lease have the ratios of OpenShift', () => {
  expect(electionTiming(137)).toEqual({ leaseMs: 137_000, renewMs: 107_000, retryMs: 26_000 })
})
