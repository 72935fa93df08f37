import { describe, expect, it } from 'vitest'
import type { ControllerConfig, MachineConfigPool } from '../../api/kinds/resources.ts'
import { templateState } from './template-state.ts'

const role = 'machineconfiguration.openshift.io/role'
const poolOf = (...values: string[]): MachineConfigPool => ({
  metadata: { name: 'x' },
  spec: {
    machineConfigSelector: { matchExpressions: [{ key: role, operator: 'In', values }] },
  },
})
const configOf = (conditions: Record<string, 'True' | 'False'>, observedGeneration = 2) =>
  ({
    metadata: { name: 'machine-config-controller', generation: 2 },
    spec: {},
    status: {
      observedGeneration,
      conditions: Object.entries(conditions).map(([type, status]) => ({ type, status })),
    },
  }) as unknown as ControllerConfig

const running = 'TemplateControllerRunning'
const completed = 'TemplateControllerCompleted'
const failing = 'TemplateControllerFailing'
const worker = 'machinist.dev/TemplatesFailing.worker'
const master = 'machinist.dev/TemplatesFailing.master'

type Case = [string, ControllerConfig, MachineConfigPool, string | undefined, boolean]

describe('the state of templates', () => {
  it.each<Case>([
    ['no conditions', configOf({}), poolOf('worker'), undefined, false],
    ['completed', configOf({ [completed]: 'True' }), poolOf('worker'), undefined, true],
    [
      'an older generation',
      configOf({ [completed]: 'True' }, 1),
      poolOf('worker'),
      undefined,
      false,
    ],
    ['an older failure', configOf({ [failing]: 'True' }, 1), poolOf('worker'), undefined, false],
    [
      'running',
      configOf({ [completed]: 'True', [running]: 'True' }),
      poolOf('worker'),
      undefined,
      false,
    ],
    [
      'failed for all',
      configOf({ [completed]: 'True', [failing]: 'True' }),
      poolOf('master'),
      failing,
      false,
    ],
    [
      'failed for its role',
      configOf({ [failing]: 'True', [worker]: 'True', [master]: 'False' }),
      poolOf('worker'),
      worker,
      false,
    ],
    [
      'failed for an inherited role',
      configOf({ [failing]: 'True', [worker]: 'True', [master]: 'False' }),
      poolOf('worker', 'infra'),
      worker,
      false,
    ],
    [
      'failed for another role',
      configOf({ [failing]: 'True', [worker]: 'True', [master]: 'False' }),
      poolOf('master'),
      undefined,
      true,
    ],
    [
      'running for another role',
      configOf({ [running]: 'True', [worker]: 'True', [master]: 'False' }),
      poolOf('master'),
      undefined,
      false,
    ],
  ])('%s', (_, config, pool, failed, isDone) => {
    const state = templateState(config, pool)
    expect([state.failing?.type, state.isDone]).toEqual([failed, isDone])
  })

  it('includes what the template controller waits for', () => {
    const config = configOf({ [running]: 'True', [worker]: 'False' })
    config.status!.conditions![0]!.message = 'Secret x cannot be read'
    expect(templateState(config, poolOf('worker')).obstacle).toBe('Secret x cannot be read')
    expect(templateState(configOf({ [completed]: 'True' }), poolOf('worker'))).toEqual({
      failing: undefined,
      isDone: true,
    })
  })
})
