import { expect, it } from 'vitest'
import type { ReadyRotationFacts, RotationFacts } from '../facts/facts.ts'
import { atRest, spec, start } from './decide-facts.fixture.ts'
import { decide } from './decide.ts'

const object = { metadata: { name: 'kubelet' }, spec }

it('an invalid rotation has the problem in its plan', () => {
  const problem = { reason: 'BadSpec', message: 'spec.settle: soon is not a duration' }
  const facts: RotationFacts = { type: 'invalid', object, now: start, problem }
  expect(decide(facts)).toEqual({ type: 'invalid', problem })
})

it.each([
  [0, { type: 'wait', ms: 30_000 }],
  [29_999, { type: 'wait', ms: 1 }],
  [
    30_000,
    {
      type: 'unreadable',
      problem: {
        reason: 'Refused',
        message:
          'Secret keys/signer cannot be read: check that the signer has permission to get, list and watch it',
      },
    },
  ],
])(
  'a rotation with an object that is unknown for %i ms waits for it, or reports it',
  (ms, plan) => {
    const what = 'Secret keys/signer'
    expect(decide({ type: 'unsynced', object, now: start, what, waitedMs: ms })).toEqual(plan)
  },
)

it('a rotation with all its objects proceeds', () => {
  const found: ReadyRotationFacts['found'] = {
    signer: undefined,
    bundle: undefined,
    published: [],
    targets: [],
    pairs: {},
    certificates: new Map(),
  }
  const facts: ReadyRotationFacts = { type: 'ready', object, found, ...atRest() }
  expect(decide(facts)).toMatchObject({ type: 'proceed', facts, writes: [], phase: 'Completed' })
})
