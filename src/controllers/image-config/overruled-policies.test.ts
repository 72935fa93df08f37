import { expect, it } from 'vitest'
import type { Condition } from '@machinist/core/objects/resource'
import { overruledCondition } from './overruled-policies.ts'

const policy = (...conditions: Condition[]) => ({
  metadata: { name: 'p', namespace: 'ns', generation: 3 },
  spec: {},
  status: { conditions },
})
const pending = (reason: string): Condition => ({ type: 'Pending', status: 'False', reason })

it('the Pending condition names the scopes that a ClusterImagePolicy covers', () => {
  expect(overruledCondition({ policy: policy(), scopes: ['a.io', 'b.io/x'] })).toEqual({
    type: 'Pending',
    status: 'False',
    reason: 'ConflictScopes',
    message:
      'a ClusterImagePolicy covers a.io, b.io/x and takes precedence there; remove the covered scopes from spec.scopes',
    observedGeneration: 3,
  })
})

it('the Pending condition is cleared if it was set before', () => {
  expect(overruledCondition({ policy: policy(), scopes: [] })).toBeUndefined()
  expect(overruledCondition({ policy: policy(pending('Other')), scopes: [] })).toBeUndefined()
  expect(
    overruledCondition({ policy: policy(pending('ConflictScopes')), scopes: [] }),
  ).toMatchObject({
    status: 'False',
    reason: 'AsExpected',
    message: 'no ClusterImagePolicy covers a scope of this ImagePolicy',
  })
})
