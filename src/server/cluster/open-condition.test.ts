import { describe, expect, it } from 'vitest'
import type { MachineConfiguration } from '../../api/kinds/resources.ts'
import { withCondition } from './open-condition.ts'

const type = 'machinist.dev/ServerOpen'
const other = { type: 'Other', status: 'True' as const, reason: 'A', message: '' }
const object = (conditions?: object[]): MachineConfiguration =>
  ({
    metadata: { name: 'cluster' },
    spec: {},
    ...(conditions && { status: { conditions } }),
  }) as MachineConfiguration
const conditionsOf = (found: MachineConfiguration | undefined): unknown => found?.status?.conditions

const open = {
  type,
  status: 'True',
  reason: 'Open',
  message:
    'The machine config server gives configs, with their secrets, to every client that can reach it. Start it without --open.',
  lastTransitionTime: 'now',
}

describe('an open server', () => {
  it('is a condition, next to those of other writers', () => {
    expect(conditionsOf(withCondition(object(), true, 'now'))).toEqual([open])
    expect(conditionsOf(withCondition(object([other]), true, 'now'))).toEqual([other, open])
  })

  it('does not change its condition again', () => {
    expect(conditionsOf(withCondition(object([open]), true, 'later'))).toEqual([open])
  })
})

describe('a server with tokens', () => {
  it('clears the condition', () => {
    expect(conditionsOf(withCondition(object([open, other]), false, 'later'))).toEqual([
      { type, status: 'False', reason: 'TokenRequired', message: '', lastTransitionTime: 'later' },
      other,
    ])
  })

  it('does not add a condition', () => {
    expect(withCondition(object([other]), false, 'now')).toBeUndefined()
    expect(withCondition(object(), false, 'now')).toBeUndefined()
  })
})
