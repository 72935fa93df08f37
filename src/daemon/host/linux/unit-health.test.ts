import { expect, it } from 'vitest'
import { isUnitHealthy } from './unit-health.ts'

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
  [true, 'a service that reloads', { ActiveState: 'reloading', SubState: 'reload' }],
  [
    true,
    'a oneshot that has exited',
    { Type: 'oneshot', ActiveState: 'inactive', SubState: 'dead' },
  ],
  [
    true,
    'a oneshot with RemainAfterExit',
    { Type: 'oneshot', ActiveState: 'active', SubState: 'exited' },
  ],
  [true, 'a unit whose condition is not met', { ActiveState: 'inactive', ConditionResult: 'no' }],
  [true, 'a mount', { Type: '', ActiveState: 'active', SubState: 'mounted' }],
  [false, 'a service that has stopped', { ActiveState: 'inactive', SubState: 'dead' }],
  [false, 'a service that failed', { ActiveState: 'failed', Result: 'exit-code' }],
  [false, 'a service that is starting', { ActiveState: 'activating', SubState: 'auto-restart' }],
  [
    false,
    'a oneshot that was stopped after a failure',
    { Type: 'oneshot', ActiveState: 'inactive', Result: 'timeout' },
  ],
  [
    false,
    'a oneshot that was never started',
    { ActiveState: 'inactive', ConditionResult: 'no', ConditionTimestampMonotonic: '0' },
  ],
  [
    false,
    'a unit that does not exist',
    { LoadState: 'not-found', ActiveState: 'inactive', Type: '', ConditionResult: 'no' },
  ],
])('%s: %s', ([healthy, , properties]) => {
  expect(isUnitHealthy(shown(properties))).toBe(healthy)
})

it('empty output is unhealthy', () => {
  expect(isUnitHealthy('')).toBe(false)
  expect(isUnitHealthy('=\n==\nnonsense')).toBe(false)
})
