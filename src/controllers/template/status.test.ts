import { describe, expect, it } from 'vitest'
import type { ControllerConfig } from '../../api/kinds/resources.ts'
import type { RoleReport } from './status.ts'
import { statusAfter } from './status.ts'

const before: ControllerConfig = {
  metadata: { name: 'machine-config-controller', generation: 7 },
  spec: {} as ControllerConfig['spec'],
}
const problem = { reason: 'BadTemplate', message: 'f:1:2: there is no variable x' }
const at = Date.parse('2026-01-02T03:04:05Z')
const statusFor = (reports: readonly RoleReport[], of = before): unknown =>
  Object.fromEntries(
    (statusAfter(of, reports, at).conditions ?? []).map(({ type, status, reason, message }) => [
      type,
      [status, reason, message].join('|'),
    ]),
  )

describe('the status of a ControllerConfig', () => {
  it('is Completed if all roles are stored', () => {
    expect(statusAfter(before, [{ role: 'master' }], at)).toMatchObject({
      observedGeneration: 7,
      controllerCertificates: [],
    })
    expect(statusFor([{ role: 'master' }, { role: 'worker' }])).toEqual({
      TemplateControllerRunning: 'False|AsExpected|',
      TemplateControllerCompleted:
        'True|AsExpected|the MachineConfigs of master, worker are up to date',
      TemplateControllerFailing: 'False|AsExpected|',
      'machinist.dev/TemplatesFailing.master': 'False|AsExpected|',
      'machinist.dev/TemplatesFailing.worker': 'False|AsExpected|',
    })
  })

  it('names failed roles separately from the others', () => {
    expect(statusFor([{ role: 'master' }, { role: 'worker', problem }])).toEqual({
      TemplateControllerRunning: 'False|AsExpected|',
      TemplateControllerCompleted: 'False|BadTemplate|',
      TemplateControllerFailing: 'True|BadTemplate|worker: f:1:2: there is no variable x',
      'machinist.dev/TemplatesFailing.master': 'False|AsExpected|',
      'machinist.dev/TemplatesFailing.worker': 'True|BadTemplate|f:1:2: there is no variable x',
    })
  })

  it('names unfinished roles', () => {
    expect(statusFor([{ role: 'master', unfinished: 'it rains' }])).toEqual({
      TemplateControllerRunning:
        'True|InProgress|not all MachineConfigs of master are stored yet: it rains',
      TemplateControllerCompleted: 'False|InProgress|',
      TemplateControllerFailing: 'False|AsExpected|',
      'machinist.dev/TemplatesFailing.master': 'False|AsExpected|',
    })
  })

  it('updates messages, changes times only with the status, and drops removed roles', () => {
    const first = statusAfter(before, [{ role: 'arbiter' }, { role: 'worker', problem }], at)
    const theirs = {
      type: 'Other',
      status: 'True' as const,
      lastTransitionTime: '2020-01-01T00:00:00Z',
    }
    const after = {
      ...before,
      status: { ...first, conditions: [theirs, ...(first.conditions ?? [])] },
    }
    const later = { ...problem, message: 'another' }
    const { conditions } = statusAfter(after, [{ role: 'worker', problem: later }], at + 60_000)
    expect(conditions?.map(({ type }) => type)).toEqual([
      'Other',
      'TemplateControllerRunning',
      'TemplateControllerCompleted',
      'TemplateControllerFailing',
      'machinist.dev/TemplatesFailing.worker',
    ])
    expect(conditions?.at(-1)).toEqual({
      type: 'machinist.dev/TemplatesFailing.worker',
      status: 'True',
      reason: 'BadTemplate',
      message: 'another',
      lastTransitionTime: '2026-01-02T03:04:05Z',
    })
  })
})
