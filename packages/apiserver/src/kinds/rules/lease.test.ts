import { describe, expect, it } from 'vitest'
import { writeScene } from '../write-scene.fixture.ts'
import { leaseRules } from './lease.ts'

describe('a lease', () => {
  it.each([
    [{}, []],
    [{ leaseDurationSeconds: 1, leaseTransitions: 0 }, []],
    [{ leaseDurationSeconds: 0 }, ['spec.leaseDurationSeconds']],
    [{ leaseTransitions: -1 }, ['spec.leaseTransitions']],
  ])('with %j is wrong in %j', (spec, fields) => {
    const causes = leaseRules.validate?.({ metadata: { name: 'l' }, spec }, undefined, writeScene())
    expect(causes?.map(({ field }) => field)).toEqual(fields)
  })
})
