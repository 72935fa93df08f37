import { describe, expect, it } from 'vitest'
import type { ControllerConfig } from '../../api/resources.ts'
import type { RoleReport } from './status.ts'
import { statusAfter } from './status.ts'

const before: ControllerConfig = {
  metadata: { name: 'machine-config-controller', generation: 7 },
  spec: {} as ControllerConfig['spec'],
}
const problem = { reason: 'BadTemplate', message: 'f:1:2: there is no variable x' }
const at = Date.parse('2026-01-02T03:04:05Z')
const told = (reports: readonly RoleReport[], of = before): unknown =>
  Object.fromEntries(
    (statusAfter(of, reports, at).conditions ?? []).map(({ type, status, reason, message }) => [
      type,
      [status, reason, message].join('|'),
    ]),
  )

describe('the status of a ControllerConfig', () => {
  it('says that all is done', () => {
    expect(statusAfter(before, [{ role: 'master' }], at)).toMatchObject({
      observedGeneration: 7,
      controllerCertificates: [],
    })
    expect(told([{ role: 'master' }, { role: 'worker' }])).toEqual({
      TemplateControllerRunning: 'False|AsExpected|',
      TemplateControllerCompleted:
        'True|AsExpected|the MachineConfigs of master, worker are up to date',
      TemplateControllerFailing: 'False|AsExpected|',
      'machinist.dev/TemplatesFailing.master': 'False|AsExpected|',
      'machinist.dev/TemplatesFailing.worker': 'False|AsExpected|',
    })
  })

  it('says which role failed, and that the others did not', () => {
    expect(told([{ role: 'master' }, { role: 'worker', problem }])).toEqual({
      TemplateControllerRunning: 'False|AsExpected|',
      TemplateControllerCompleted: 'False|BadTemplate|',
      TemplateControllerFailing: 'True|BadTemplate|worker: f:1:2: there is no variable x',
      'machinist.dev/TemplatesFailing.master': 'False|AsExpected|',
      'machinist.dev/TemplatesFailing.worker': 'True|BadTemplate|f:1:2: there is no variable x',
    })
  })

  it('says what is not finished', () => {
    expect(told([{ role: 'master', unfinished: 'it rains' }])).toEqual({
      TemplateControllerRunning:
        'True|InProgress|not all MachineConfigs of master are stored yet: it rains',
      TemplateControllerCompleted: 'False|InProgress|',
      TemplateControllerFailing: 'False|AsExpected|',
      'machinist.dev/TemplatesFailing.master': 'False|AsExpected|',
    })
  })

  it('brings messages up to date, moves times with the status only, and forgets roles that are gone', () => {
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
