import { expect, it } from 'vitest'
import type { Condition } from '@machinist/core/resource'
import { overruledReport } from './overruled-policies.ts'

const policy = (...conditions: Condition[]) => ({
  metadata: { name: 'p', namespace: 'ns', generation: 3 },
  spec: {},
  status: { conditions },
})
const pending = (reason: string): Condition => ({ type: 'Pending', status: 'False', reason })

it('an ImagePolicy is told which of its scopes a ClusterImagePolicy decides', () => {
  expect(overruledReport({ policy: policy(), scopes: ['a.io', 'b.io/x'] })).toEqual({
    type: 'Pending',
    status: 'False',
    reason: 'ConflictScopes',
    message:
      'a ClusterImagePolicy covers a.io, b.io/x, and it alone decides about images there; remove what is covered from spec.scopes',
    observedGeneration: 3,
  })
})

it('and that it is over, if it was told before', () => {
  expect(overruledReport({ policy: policy(), scopes: [] })).toBeUndefined()
  expect(overruledReport({ policy: policy(pending('Other')), scopes: [] })).toBeUndefined()
  expect(overruledReport({ policy: policy(pending('ConflictScopes')), scopes: [] })).toMatchObject({
    status: 'False',
    reason: 'AsExpected',
    message: 'no ClusterImagePolicy covers any of its scopes',
  })
})
