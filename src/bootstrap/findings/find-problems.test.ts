import { describe, expect, it } from 'vitest'
import type { Condition } from '@machinist/core/objects/resource'
import { emptyControllerConfigSpec } from '../../api/kinds/new-controller-config.ts'
import type { ControllerConfig, MachineConfigPool } from '../../api/kinds/resources.ts'
import { kubeletConfigs, machineConfigPools } from '../../api/kinds/resources.ts'
import { problemText } from '../manifests/manifest.ts'
import type { Manifest } from '../manifests/manifest.ts'
import type { ClusterState } from './cluster-state.ts'
import { findProblems } from './find-problems.ts'
import { findWarnings } from './find-warnings.ts'

const condition = (type: string, status: Condition['status'], reason = '', message = '') => ({
  type,
  status,
  reason,
  message,
})
const done = condition('RenderDegraded', 'False', 'AsExpected')
const pool = (name: string, ...conditions: Condition[]): MachineConfigPool => ({
  metadata: { name, labels: { pool: name } },
  spec: { configuration: { name: `rendered-${name}-1` } },
  status: { conditions },
})
const controllerConfig = (...conditions: Condition[]): ControllerConfig => ({
  metadata: { name: 'machine-config-controller' },
  spec: emptyControllerConfigSpec,
  status: { conditions },
})
const rendered: ClusterState = {
  controllerConfig: controllerConfig(),
  pools: [pool('master', done), pool('worker', done)],
  machineConfigs: [],
  kubeletConfigs: [],
  containerRuntimeConfigs: [],
  machineConfigurations: [],
  credentialProviderConfigs: [],
  events: [],
}
const kubeletConfig = {
  metadata: { name: 'k' },
  spec: { machineConfigPoolSelector: { matchLabels: { pool: 'worker' } } },
}
const manifests: Manifest[] = [
  { resource: machineConfigPools, file: 'p.yaml', object: { metadata: { name: 'worker' } } },
  { resource: kubeletConfigs, file: 'k.yaml', object: kubeletConfig },
]
const problems = (state: Partial<ClusterState>, failures: string[] = []): string[] =>
  findProblems({ ...rendered, ...state }, { manifests, release: 'main', failures }).map(problemText)

describe('problems', () => {
  it('are none if every pool is rendered', () => {
    expect(problems({})).toEqual([])
  })

  it('are all invalid fields of MachineConfigs, and not the pools that contain them', () => {
    const config = { ignition: { version: '3.2.0' }, storage: { files: [{ path: 'a' }] } } as never
    const bad = condition('RenderDegraded', 'True', 'BadMachineConfig', 'it is bad')
    expect(
      problems({
        machineConfigs: [{ metadata: { name: '99-x' }, spec: { config } }],
        pools: [pool('worker', bad)],
      }),
    ).toEqual([
      'MachineConfig 99-x: invalid Ignition config found in 99-x: $.storage.files[0].path ("a") must be an absolute path that starts with "/"',
    ])
  })

  it('are the invalid inputs of the operator and failed templates, each once', () => {
    const failing = (role: string): Condition =>
      condition(`machinist.dev/TemplatesFailing.${role}`, 'True', 'BadTemplate', 'line 3')
    expect(
      problems({
        controllerConfig: controllerConfig(
          condition('machinist.dev/InputDegraded.network', 'True', 'Missing', 'no network'),
          condition('machinist.dev/InputDegraded.dns', 'False', 'AsExpected'),
          failing('master'),
          failing('worker'),
        ),
        pools: [
          pool('worker', condition('RenderDegraded', 'Unknown', 'ControllerConfigVersion', 'x')),
          pool('master', condition('RenderDegraded', 'True', 'TemplatesFailed', 'y')),
        ],
      }),
    ).toEqual(['no network', 'the templates of master, worker failed: line 3'])
  })

  it('of settings are all invalid fields, or else the condition', () => {
    const failed = condition('Failure', 'True', 'NoPool', 'Error: it selects nothing')
    const invalid = { ...kubeletConfig.spec, kubeletConfig: { maxPod: 1, clusterDNS: ['x'] } }
    expect(
      problems({
        kubeletConfigs: [{ ...kubeletConfig, spec: invalid, status: { conditions: [failed] } }],
      }),
    ).toEqual([
      'k.yaml: KubeletConfig k: spec.kubeletConfig.maxPod: unknown field; did you mean maxPods?',
      "k.yaml: KubeletConfig k: spec.kubeletConfig.clusterDNS: must not be set: it is set from the cluster's network configuration; remove it",
    ])
    expect(
      problems({ kubeletConfigs: [{ ...kubeletConfig, status: { conditions: [failed] } }] }),
    ).toEqual(['k.yaml: KubeletConfig k: it selects nothing'])
  })

  it('of image registries are the events, once for all pools', () => {
    const degraded = condition('machinist.dev/ImageConfigDegraded', 'True', 'BadMirrors', 'of pool')
    const event = (message: string, reason = 'RegistriesFailed') => ({
      metadata: { name: message },
      involvedObject: {},
      reason,
      message,
    })
    const pools = [pool('master', done, degraded), pool('worker', done, degraded)]
    expect(problems({ pools, events: [event('bad mirror'), event('other', 'Updating')] })).toEqual([
      'bad mirror',
    ])
    expect(problems({ pools })).toEqual(['of pool'])
  })

  it('of a pool are in its file', () => {
    const degraded = condition('RenderDegraded', 'True', 'BadSelector', 'bad selector')
    expect(problems({ pools: [pool('worker', degraded)] })).toEqual(['p.yaml: bad selector'])
  })

  it('are the waits if there is no cause', () => {
    const waiting = condition('RenderDegraded', 'Unknown', 'SettingsNotDone', 'waits for k')
    expect(problems({ pools: [pool('worker', waiting)] }, ['render: it failed'])).toEqual([
      'render: it failed',
      'p.yaml: waits for k',
    ])
    expect(problems({ controllerConfig: undefined, pools: [] })).toEqual([
      'ControllerConfig machine-config-controller does not exist: the operator has not written it',
      'no MachineConfigPool exists: the operator has not created any',
    ])
    expect(problems({ pools: [pool('infra')] })).toEqual(['pool infra has no rendered config'])
  })
})

describe('warnings', () => {
  const warnings = (state: Partial<ClusterState>): string[] =>
    findWarnings({ ...rendered, ...state }, manifests).map(problemText)

  it('are mistakes, settings without effect, and unselected MachineConfigs', () => {
    const mistaken = condition('RenderDegraded', 'False', 'RenderedWithWarnings', 'probably wrong')
    const notRead = condition('machinist.dev/ImageConfigDegraded', 'True', 'NotRead', 'not read')
    const noEffect = condition('machinist.dev/NoEffect', 'True', 'FieldsWithoutEffect', 'no effect')
    const state = {
      pools: [pool('worker', mistaken, notRead), pool('master', mistaken)],
      kubeletConfigs: [{ ...kubeletConfig, status: { conditions: [noEffect] } }],
      machineConfigs: [{ metadata: { name: '99-lost' } }],
    }
    expect(warnings(state)).toEqual([
      expect.stringMatching(/^No MachineConfigPool selects MachineConfig 99-lost/) as string,
      'probably wrong',
      'not read',
      'k.yaml: KubeletConfig k: no effect',
    ])
    expect(problems(state)).toEqual([])
  })
})
