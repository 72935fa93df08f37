import { describe, expect, it } from 'vitest'
import type { Condition } from '@machinist/core/resource'
import { containerRuntimeConfigs, kubeletConfigs } from '../../api/resources.ts'
import type { Verdict } from './conditions.ts'
import { conditionsAfter, newsIn } from './conditions.ts'
import type { Wait } from './decide.ts'
import type { Failure } from './failure.ts'
import type { Overridden } from './overridden.ts'

const kubelet = { resource: kubeletConfigs, tellsAccepted: true }
const runtime = { resource: containerRuntimeConfigs, tellsAccepted: false }
const before = '2026-01-01T00:00:00Z'
const now = '2026-02-02T00:00:00Z'

const failure = (message: string, pool?: string): Failure => ({
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
const verdict = (
  failures: Failure[] = [],
  overridden: Overridden[] = [],
  more: Partial<Verdict> = {},
): Verdict => ({ failures, overridden, waits: [], idle: [], ...more })
const wait = (pool: string, isMade = false): Wait => ({
  pool,
  message: 'waits for the templates of worker',
  isMade,
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
  it('begin with one verdict, and one for readers of before', () => {
    expect(conditionsAfter([], verdict(), kubelet, now)).toEqual([
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
    expect(lines(conditionsAfter([], verdict([failure('no')]), kubelet, now))).toEqual([
      'Accepted False Error: no now',
      'Failure True Error: no now',
    ])
  })

  it('show the last three verdicts', () => {
    const three = ['1', '2', '3'].map((message) => old('Accepted', 'False', message))
    expect(lines(conditionsAfter(three, verdict([failure('new')]), kubelet, now))).toEqual([
      'Accepted False 2 before',
      'Accepted False 3 before',
      'Accepted False Error: new now',
      'Failure True Error: new now',
    ])
  })

  it('stay as they are where there is nothing new: not even a time changes', () => {
    const first = conditionsAfter([], verdict([failure('no')]), kubelet, before)
    expect(conditionsAfter(first, verdict([failure('no')]), kubelet, now)).toEqual(first)
  })

  it('lose what older releases wrote', () => {
    const three = [
      old('Success', 'True', 'a'),
      old('Accepted', 'True', 'Success', 'Success'),
      old('Failure', 'False', 'c'),
    ]
    expect(lines(conditionsAfter(three, verdict(), kubelet, now))).toEqual([
      'Accepted True Success before',
      'Success True Success now',
    ])
  })

  it('end with what render reads', () => {
    const last = conditionsAfter([], verdict([], [overriding]), kubelet, now).at(-1)
    expect(last?.type).toBe('Success')
  })
})

describe('the conditions of a ContainerRuntimeConfig', () => {
  it('are one, however many there were', () => {
    const grown = ['a', 'b', 'c', 'd'].map((message) => old('Failure', 'True', message))
    expect(lines(conditionsAfter(grown, verdict(), runtime, now))).toEqual([
      'Success True Success now',
    ])
    expect(
      lines(
        conditionsAfter(grown, verdict([failure('no', 'a'), failure('no', 'b')]), runtime, now),
      ),
    ).toEqual(['Failure True Error: pools a, b: no now'])
  })

  it('name the pool of each failure', () => {
    const failures = [failure('first', 'infra'), failure('second', 'worker'), failure('all')]
    expect(conditionsAfter([], verdict(failures), runtime, now)[0]?.message).toBe(
      'Error: pool infra: first; pool worker: second; all',
    )
  })
})

describe('what is overridden', () => {
  it('is told first, with both values and who wins', () => {
    const [first, ...rest] = conditionsAfter([], verdict([], [overriding]), runtime, now)
    expect(first).toEqual({
      type: 'machinist.dev/Overridden',
      status: 'True',
      reason: 'FieldsOverridden',
      message:
        'pool worker: maxPods is 250 there, as ContainerRuntimeConfig late says, and not 100',
      lastTransitionTime: now,
    })
    expect(lines(rest)).toEqual(['Success True Success now'])
  })

  it('is told no more, but only to those who were told', () => {
    const told = conditionsAfter([], verdict([], [overriding]), runtime, before)
    expect(conditionsAfter(told, verdict(), runtime, now)[0]).toEqual({
      type: 'machinist.dev/Overridden',
      status: 'False',
      reason: 'AsExpected',
      message: '',
      lastTransitionTime: now,
    })
  })
})

describe('what is waited for', () => {
  const waiting = verdict([], [overriding], { waits: [wait('infra'), wait('worker')] })

  it('is told, and nothing else as long as there is no verdict', () => {
    expect(conditionsAfter([], waiting, kubelet, now)).toEqual([
      {
        type: 'machinist.dev/Waiting',
        status: 'True',
        reason: 'TemplatesNotDone',
        message: 'pools infra, worker: waits for the templates of worker',
        lastTransitionTime: now,
      },
    ])
  })

  it('leaves the verdicts of before where render reads them', () => {
    const done = conditionsAfter([], verdict([], [overriding]), kubelet, before)
    expect(lines(conditionsAfter(done, waiting, kubelet, now)).slice(1)).toEqual(lines(done))
    expect(lines(conditionsAfter(done, waiting, kubelet, now))[0]).toContain('Waiting True pools')
  })

  it('is told beside a failure in another pool', () => {
    const both = verdict([failure('no', 'master')], [], { waits: [wait('worker')] })
    expect(lines(conditionsAfter([], both, runtime, now))).toEqual([
      'machinist.dev/Waiting True pool worker: waits for the templates of worker now',
      'Failure True Error: pool master: no now',
    ])
  })

  it('is nothing to tell where a pool has what the object says', () => {
    const again = verdict([], [], { waits: [wait('worker', true)] })
    expect(conditionsAfter([], again, kubelet, now)).toEqual([])
    const told = conditionsAfter([], waiting, kubelet, before)
    expect(lines(conditionsAfter(told, again, kubelet, now))).toEqual([
      'machinist.dev/Waiting False  now',
    ])
  })

  it('is over with a verdict', () => {
    const told = conditionsAfter([], waiting, kubelet, before)
    expect(conditionsAfter(told, waiting, kubelet, now)).toEqual(told)
    expect(lines(conditionsAfter(told, verdict(), kubelet, now))).toEqual([
      'machinist.dev/Waiting False  now',
      'Accepted True Success now',
      'Success True Success now',
    ])
  })
})

it('what nobody reads is told, with or without a verdict', () => {
  const idle = ['spec.a: changes nothing', 'spec.b: changes nothing']
  const told = {
    type: 'machinist.dev/NoEffect',
    status: 'True',
    reason: 'FieldsWithoutEffect',
    message: 'spec.a: changes nothing; spec.b: changes nothing',
    lastTransitionTime: now,
  }
  expect(conditionsAfter([], verdict([], [], { idle }), runtime, now)[0]).toEqual(told)
  const waits = [wait('worker')]
  expect(conditionsAfter([], verdict([], [], { idle, waits }), runtime, now)[1]).toEqual(told)
})

describe('news', () => {
  const object = (conditions: Condition[]) => ({
    metadata: { name: 'a' },
    spec: {},
    status: { conditions },
  })

  const failed = (message: string) => ({ isFailure: true, reason: 'SettingsFailed', message })
  const remarked = (reason: string, message: string) => ({ isFailure: false, reason, message })

  it('are failures and remarks that the object does not tell yet', () => {
    const all = verdict([failure('no')], [overriding], { idle: ['spec.a: changes nothing'] })
    expect(newsIn(object([]), all, 'KubeletConfig')).toEqual([
      failed('Error: no'),
      remarked('FieldsWithoutEffect', 'spec.a: changes nothing'),
      remarked(
        'FieldsOverridden',
        'pool worker: maxPods is 250 there, as KubeletConfig late says, and not 100',
      ),
    ])
    const told = object(conditionsAfter([], all, kubelet, before))
    expect(newsIn(told, all, 'KubeletConfig')).toEqual([])
    expect(newsIn(told, verdict([failure('else')]), 'KubeletConfig')).toEqual([
      failed('Error: else'),
    ])
    expect(newsIn(told, verdict(), 'KubeletConfig')).toEqual([])
  })

  it('are not what is waited for, nor what is not decided meanwhile', () => {
    const waits = [wait('worker')]
    expect(newsIn(object([]), verdict([], [overriding], { waits }), 'KubeletConfig')).toEqual([])
  })
})
