import { expect, it } from 'vitest'
import type { Condition } from '@machinist/core/objects/resource'
import type { ControllerConfig, MachineConfiguration } from '../../api/kinds/resources.ts'
import { failuresIn } from './failures.ts'

const condition = (type: string, message: string, status: Condition['status'] = 'True') => ({
  type,
  status,
  message,
})
const facts = (more: Partial<Parameters<typeof failuresIn>[0]> = {}) => ({
  controllerConfig: undefined,
  machineConfiguration: undefined,
  required: { state: 'ready' } as const,
  reported: [],
  ...more,
})
const controllerConfig = (...conditions: Condition[]): ControllerConfig =>
  ({ metadata: { name: 'machine-config-controller' }, status: { conditions } }) as ControllerConfig

it('no task fails without reports', () => {
  expect(failuresIn(facts())).toEqual([])
  const good = controllerConfig(
    condition('machinist.dev/InputDegraded.cloud-ca', '', 'False'),
    condition('TemplateControllerFailing', '', 'False'),
    condition('TemplateControllerCompleted', 'done'),
  )
  expect(failuresIn(facts({ controllerConfig: good }))).toEqual([])
})

it('invalid inputs are reported together, in a fixed order', () => {
  const bad = controllerConfig(
    condition(
      'machinist.dev/InputDegraded.user-ca',
      'ConfigMap openshift-config/user-ca-bundle: b',
    ),
    condition('machinist.dev/InputDegraded.cloud-ca', 'a'),
  )
  expect(failuresIn(facts({ controllerConfig: bad }))).toEqual([
    {
      task: 'RenderConfig',
      message: 'input cloud-ca: a; input user-ca: ConfigMap openshift-config/user-ca-bundle: b',
    },
  ])
})

it('failures are in the order of tasks', () => {
  const machineConfiguration = {
    metadata: { name: 'cluster' },
    spec: {},
    status: {
      conditions: [
        condition('BootImageUpdateDegraded', 'no boot image'),
        condition('machinist.dev/NodeDisruptionPolicyInvalid', 'no policy'),
      ],
    },
  } as MachineConfiguration
  const all = failuresIn({
    required: { state: 'failed', message: 'no pool' },
    reported: [{ task: 'MachineConfigPools', message: 'no right' }],
    machineConfiguration,
    controllerConfig: controllerConfig(
      condition('TemplateControllerFailing', 'no template'),
      condition('machinist.dev/InputDegraded.dns', 'no name'),
    ),
  })
  expect(all.map(({ task, message }) => `${task}: ${message}`)).toEqual([
    'RenderConfig: input dns: no name',
    'MachineConfiguration: no policy',
    'MachineConfiguration: no boot image',
    'MachineConfigPools: no right',
    'MachineConfigController: no template',
    'RequiredPools: no pool',
  ])
})

it('waiting is not a failure', () => {
  expect(failuresIn(facts({ required: { state: 'waiting', message: 'soon' } }))).toEqual([])
})
