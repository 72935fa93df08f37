import { describe, expect, it } from 'vitest'
import { testWriteContext } from '../write-context.fixture.ts'
import { leaseRules } from './lease.ts'

describe('a lease', () => {
  it.each([
    [{}, []],
    [{ leaseDurationSeconds: 1, leaseTransitions: 0 }, []],
    [{ leaseDurationSeconds: 0 }, ['spec.leaseDurationSeconds']],
    [{ leaseTransitions: -1 }, ['spec.leaseTransitions']],
  ])('with %j is invalid in %j', (spec, fields) => {
    const causes = leaseRules.validate?.(
      { metadata: { name: 'l' }, spec },
      undefined,
      testWriteContext(),
    )
    expect(causes?.map(({ field }) => field)).toEqual(fields)
  })
})
