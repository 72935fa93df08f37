import { describe, expect, it } from 'vitest'
import type { Condition } from '@machinist/core/objects/resource'
import { containerRuntimeConfigs, kubeletConfigs } from '../../api/kinds/resources.ts'
import type { SettingsReport } from './conditions.ts'
import { conditionsAfter, newEvents } from './conditions.ts'
import type { PoolWait } from './decide.ts'
import type { SettingsFailure } from './failure.ts'
import type { Overridden } from './overridden.ts'

const kubelet = { resource: kubeletConfigs, reportsAccepted: true }
const runtime = { resource: containerRuntimeConfigs, reportsAccepted: false }
const before = '2026-01-01T00:00:00Z'
const now = '2026-02-02T00:00:00Z'

const failure = (message: string, pool?: string): SettingsFailure => ({
  reason: 'BadSettings',
  message,
  ...(pool && { pool }),
})
const overriding: Overridden = {
  pool: 'worker',
  field: 'maxPods',
  value: '100',
  by: 'late',
  byValue: '250',
}
const reportOf = (
  failures: SettingsFailure[] = [],
  overridden: Overridden[] = [],
  more: Partial<SettingsReport> = {},
): SettingsReport => ({ failures, overridden, waits: [], ineffective: [], ...more })
const wait = (pool: string, isUpToDate = false): PoolWait => ({
  pool,
  message: 'waits for the worker templates',
  isUpToDate,
})
const old = (
  type: string,
  status: 'True' | 'False',
  message: string,
  reason?: string,
): Condition => ({
  type,
  status,
  message,
  lastTransitionTime: before,
  ...(reason && { reason }),
})
const lines = (conditions: readonly Condition[]): string[] =>
  conditions.map(
    ({ type, status, message, lastTransitionTime }) =>
      `${type} ${status} ${message} ${lastTransitionTime === now ? 'now' : 'before'}`,
  )

describe('the conditions of a KubeletConfig', () => {
  it('begin with Accepted, followed by Success or Failure', () => {
    expect(conditionsAfter([], reportOf(), kubelet, now)).toEqual([
      {
        type: 'Accepted',
        status: 'True',
        reason: 'Success',
        message: 'Success',
        lastTransitionTime: now,
      },
      {
        type: 'Success',
        status: 'True',
        reason: 'Success',
        message: 'Success',
        lastTransitionTime: now,
      },
    ])
    expect(lines(conditionsAfter([], reportOf([failure('no')]), kubelet, now))).toEqual([
      'Accepted False Error: no now',
      'Failure True Error: no now',
    ])
  })

  it('keep the last three Accepted conditions', () => {
    const three = ['1', '2', '3'].map((message) => old('Accepted', 'False', message))
    expect(lines(conditionsAfter(three, reportOf([failure('new')]), kubelet, now))).toEqual([
      'Accepted False 2 before',
      'Accepted False 3 before',
      'Accepted False Error: new now',
      'Failure True Error: new now',
    ])
  })

  it('stay unchanged, including times, without news', () => {
    const first = conditionsAfter([], reportOf([failure('no')]), kubelet, before)
    expect(conditionsAfter(first, reportOf([failure('no')]), kubelet, now)).toEqual(first)
  })

  it('drop conditions of older releases', () => {
    const three = [
      old('Success', 'True', 'a'),
      old('Accepted', 'True', 'Success', 'Success'),
      old('Failure', 'False', 'c'),
    ]
    expect(lines(conditionsAfter(three, reportOf(), kubelet, now))).toEqual([
      'Accepted True Success before',
      'Success True Success now',
    ])
  })

  it('end with the condition that the render controller reads', () => {
    const last = conditionsAfter([], reportOf([], [overriding]), kubelet, now).at(-1)
    expect(last?.type).toBe('Success')
  })
})

describe('the conditions of a ContainerRuntimeConfig', () => {
  it('are reduced to one', () => {
    const grown = ['a', 'b', 'c', 'd'].map((message) => old('Failure', 'True', message))
    expect(lines(conditionsAfter(grown, reportOf(), runtime, now))).toEqual([
      'Success True Success now',
    ])
    expect(
      lines(
        conditionsAfter(grown, reportOf([failure('no', 'a'), failure('no', 'b')]), runtime, now),
      ),
    ).toEqual(['Failure True Error: pools a, b: no now'])
  })

  it('name the pool of each failure', () => {
    const failures = [failure('first', 'infra'), failure('second', 'worker'), failure('all')]
    expect(conditionsAfter([], reportOf(failures), runtime, now)[0]?.message).toBe(
      'Error: pool infra: first; pool worker: second; all',
    )
  })
})

describe('the Overridden condition', () => {
  it('comes first, with both values and the winning object', () => {
    const [first, ...rest] = conditionsAfter([], reportOf([], [overriding]), runtime, now)
    expect(first).toEqual({
      type: 'machinist.dev/Overridden',
      status: 'True',
      reason: 'FieldsOverridden',
      message:
        'pool worker: ContainerRuntimeConfig late overrides maxPods: 100 with 250; set it in one object only',
      lastTransitionTime: now,
    })
    expect(lines(rest)).toEqual(['Success True Success now'])
  })

  it('becomes False if it was set', () => {
    const reported = conditionsAfter([], reportOf([], [overriding]), runtime, before)
    expect(conditionsAfter(reported, reportOf(), runtime, now)[0]).toEqual({
      type: 'machinist.dev/Overridden',
      status: 'False',
      reason: 'AsExpected',
      message: '',
      lastTransitionTime: now,
    })
  })
})

describe('the Waiting condition', () => {
  const waiting = reportOf([], [overriding], { waits: [wait('infra'), wait('worker')] })

  it('is the only condition while the result is undecided', () => {
    expect(conditionsAfter([], waiting, kubelet, now)).toEqual([
      {
        type: 'machinist.dev/Waiting',
        status: 'True',
        reason: 'TemplatesNotDone',
        message: 'pools infra, worker: waits for the worker templates',
        lastTransitionTime: now,
      },
    ])
  })

  it('keeps the last result for the render controller', () => {
    const done = conditionsAfter([], reportOf([], [overriding]), kubelet, before)
    expect(lines(conditionsAfter(done, waiting, kubelet, now)).slice(1)).toEqual(lines(done))
    expect(lines(conditionsAfter(done, waiting, kubelet, now))[0]).toContain('Waiting True pools')
  })

  it('is set beside a failure in another pool', () => {
    const both = reportOf([failure('no', 'master')], [], { waits: [wait('worker')] })
    expect(lines(conditionsAfter([], both, runtime, now))).toEqual([
      'machinist.dev/Waiting True pool worker: waits for the worker templates now',
      'Failure True Error: pool master: no now',
    ])
  })

  it('is not set for a pool that is up to date', () => {
    const again = reportOf([], [], { waits: [wait('worker', true)] })
    expect(conditionsAfter([], again, kubelet, now)).toEqual([])
    const reported = conditionsAfter([], waiting, kubelet, before)
    expect(lines(conditionsAfter(reported, again, kubelet, now))).toEqual([
      'machinist.dev/Waiting False  now',
    ])
  })

  it('becomes False with a result', () => {
    const reported = conditionsAfter([], waiting, kubelet, before)
    expect(conditionsAfter(reported, waiting, kubelet, now)).toEqual(reported)
    expect(lines(conditionsAfter(reported, reportOf(), kubelet, now))).toEqual([
      'machinist.dev/Waiting False  now',
      'Accepted True Success now',
      'Success True Success now',
    ])
  })
})

it('fields without effect are reported, with or without a result', () => {
  const ineffective = ['spec.a: changes nothing', 'spec.b: changes nothing']
  const reported = {
    type: 'machinist.dev/NoEffect',
    status: 'True',
    reason: 'FieldsWithoutEffect',
    message: 'spec.a: changes nothing; spec.b: changes nothing',
    lastTransitionTime: now,
  }
  expect(conditionsAfter([], reportOf([], [], { ineffective }), runtime, now)[0]).toEqual(reported)
  const waits = [wait('worker')]
  expect(conditionsAfter([], reportOf([], [], { ineffective, waits }), runtime, now)[1]).toEqual(
    reported,
  )
})

describe('events', () => {
  const object = (conditions: Condition[]) => ({
    metadata: { name: 'a' },
    spec: {},
    status: { conditions },
  })

  const failed = (message: string) => ({ isFailure: true, reason: 'SettingsFailed', message })
  const remarked = (reason: string, message: string) => ({ isFailure: false, reason, message })

  it('are emitted for failures and fields that the conditions do not report yet', () => {
    const all = reportOf([failure('no')], [overriding], {
      ineffective: ['spec.a: changes nothing'],
    })
    expect(newEvents(object([]), all, 'KubeletConfig')).toEqual([
      failed('Error: no'),
      remarked('FieldsWithoutEffect', 'spec.a: changes nothing'),
      remarked(
        'FieldsOverridden',
        'pool worker: KubeletConfig late overrides maxPods: 100 with 250; set it in one object only',
      ),
    ])
    const reported = object(conditionsAfter([], all, kubelet, before))
    expect(newEvents(reported, all, 'KubeletConfig')).toEqual([])
    expect(newEvents(reported, reportOf([failure('else')]), 'KubeletConfig')).toEqual([
      failed('Error: else'),
    ])
    expect(newEvents(reported, reportOf(), 'KubeletConfig')).toEqual([])
  })

  it('are not emitted while the object waits', () => {
    const waits = [wait('worker')]
    expect(newEvents(object([]), reportOf([], [overriding], { waits }), 'KubeletConfig')).toEqual(
      [],
    )
  })
})
