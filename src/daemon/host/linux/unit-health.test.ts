import { expect, it } from 'vitest'
import { isWell } from './unit-health.ts'

const shown = (properties: Record<string, string>): string =>
  Object.entries({
    LoadState: 'loaded',
    Type: 'simple',
    Result: 'success',
    ConditionResult: 'yes',
    ConditionTimestampMonotonic: '123',
    ...properties,
  })
    .map(([key, value]) => `${key}=${value}\n`)
    .join('')

it.for<[boolean, string, Record<string, string>]>([
  [true, 'a running service', { ActiveState: 'active', SubState: 'running' }],
  [true, 'one that reads its files anew', { ActiveState: 'reloading', SubState: 'reload' }],
  [true, 'a oneshot that is over', { Type: 'oneshot', ActiveState: 'inactive', SubState: 'dead' }],
  [true, 'a oneshot that remains', { Type: 'oneshot', ActiveState: 'active', SubState: 'exited' }],
  [true, 'one that is not needed', { ActiveState: 'inactive', ConditionResult: 'no' }],
  [true, 'a mount', { Type: '', ActiveState: 'active', SubState: 'mounted' }],
  [false, 'a service that has stopped', { ActiveState: 'inactive', SubState: 'dead' }],
  [false, 'one that failed', { ActiveState: 'failed', Result: 'exit-code' }],
  [false, 'one that still starts', { ActiveState: 'activating', SubState: 'auto-restart' }],
  [
    false,
    'a oneshot that was stopped after a failure',
    { Type: 'oneshot', ActiveState: 'inactive', Result: 'timeout' },
  ],
  [
    false,
    'one that nobody has started',
    { ActiveState: 'inactive', ConditionResult: 'no', ConditionTimestampMonotonic: '0' },
  ],
  [
    false,
    'one that is not there',
    { LoadState: 'not-found', ActiveState: 'inactive', Type: '', ConditionResult: 'no' },
  ],
])('%s: %s', ([well, , properties]) => {
  expect(isWell(shown(properties))).toBe(well)
})

it('is not well without an answer', () => {
  expect(isWell('')).toBe(false)
  expect(isWell('=\n==\nnonsense')).toBe(false)
})
