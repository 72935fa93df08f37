import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Condition } from '@machinist/core/objects/resource'
import type { Node } from '@machinist/kube/kinds/core'
import type { ClusterOperatorStatus } from '../../api/openshift-config.ts'
import type { MachineConfigPool } from '../../api/kinds/resources.ts'
import type { OperatorHealth } from './status.ts'
import { statusFor } from './status.ts'
import type { TaskFailure } from './tasks.ts'
import { tasks } from './tasks.ts'

const then = '2026-01-01T00:00:00Z'
const now = '2026-01-02T00:00:00Z'
const versions = (version: string) => [{ name: 'operator', version }]
const failure: TaskFailure = { task: 'RenderConfig', message: 'input user-ca: it is empty' }

const pool = (name: string, ...holds: readonly string[]): MachineConfigPool => ({
  metadata: { name },
  spec: { nodeSelector: { matchLabels: { role: name } } },
  status: {
    machineCount: 3,
    configuration: { name: `rendered-${name}-1` },
    conditions: holds.map((type) => ({ type, status: 'True' })),
  },
})
const facts = (more: Partial<OperatorHealth> = {}): OperatorHealth => ({
  namespace: 'openshift-machine-config-operator',
  versions: versions('4.16.0'),
  failures: [],
  waitsFor: undefined,
  pools: [pool('worker', 'Updated'), pool('master', 'Updated')],
  nodes: [],
  kubeAPIServer: undefined,
  kubeletConfigs: [],
  runtimeConfigs: [],
  ...more,
})
/** The status of a cluster that has been at this version for a day. */
const settled = (version = '4.16.0', more: Partial<OperatorHealth> = {}): ClusterOperatorStatus =>
  statusFor(undefined, facts({ versions: versions(version), ...more }), then)

/** `True AsExpected text`, with `-` for no reason. */
const conditionText = (status: ClusterOperatorStatus, type: string): string => {
  const found = status.conditions!.filter((condition) => condition.type === type)
  expect(found).toHaveLength(1)
  const [{ status: value, reason = '-', message = '' }] = found as [Condition]
  return `${value} ${reason} ${message}`.trim()
}

describe('a new ClusterOperator', () => {
  it('reports its version from the start', () => {
    const waiting = facts({ waitsFor: 'ControllerConfig', pools: [] })
    const expected = {
      conditions: [
        { type: 'Available', status: 'False', lastTransitionTime: now },
        {
          type: 'Progressing',
          status: 'True',
          message: 'Cluster is bootstrapping 4.16.0',
          lastTransitionTime: now,
        },
        { type: 'Degraded', status: 'False', lastTransitionTime: now },
        { type: 'Upgradeable', status: 'Unknown', reason: 'NoData', lastTransitionTime: now },
        {
          type: 'EvaluationConditionsDetected',
          status: 'False',
          reason: 'AsExpected',
          lastTransitionTime: now,
        },
      ],
      versions: [{ name: 'operator', version: '4.16.0' }],
      extension: { lastSyncError: 'ControllerConfig' },
    }
    expect(statusFor(undefined, waiting, now)).toMatchObject(expected)
    // As the cluster version operator creates it.
    expect(statusFor({}, waiting, now)).toMatchObject(expected)
  })

  it('is Available after everything was done once, and not before', () => {
    const failing = statusFor(undefined, facts({ failures: [failure] }), then)
    expect(conditionText(failing, 'Available')).toBe('False -')
    expect(conditionText(failing, 'Progressing')).toBe('True - Unable to apply 4.16.0')
    expect(conditionText(failing, 'Degraded')).toBe(
      'True RenderConfigFailed Failed to resync 4.16.0 because: input user-ca: it is empty',
    )
    const waiting = statusFor(failing, facts({ waitsFor: 'a pool' }), then)
    expect(conditionText(waiting, 'Progressing')).toBe('True - Cluster is bootstrapping 4.16.0')
    const done = statusFor(waiting, facts(), now)
    expect(conditionText(done, 'Available')).toBe(
      'True AsExpected Cluster has deployed [{operator 4.16.0}]',
    )
    expect(conditionText(done, 'Progressing')).toBe('False - Cluster version is 4.16.0')
  })
})

describe('at the same version', () => {
  it('a rollout of configuration is not Progressing', () => {
    const status = statusFor(settled(), facts({ waitsFor: 'pool master' }), now)
    expect(conditionText(status, 'Progressing')).toBe('False - Cluster version is 4.16.0')
    expect(conditionText(status, 'Degraded')).toBe('False -')
    expect(status.extension).toMatchObject({ lastSyncError: 'pool master' })
  })

  it.each([
    ['RenderConfig', 'RenderConfigFailed'],
    ['MachineConfiguration', 'MachineConfigurationFailed'],
    ['MachineConfigPools', 'MachineConfigPoolsFailed'],
    ['MachineConfigController', 'MachineConfigControllerFailed'],
    ['RequiredPools', 'RequiredPoolsFailed'],
  ] as const)('%s that fails is %s', (task, reason) => {
    const failures = [{ task, message: 'E' }, { task: 'RequiredPools', message: 'F' } as const]
    const status = statusFor(settled(), facts({ failures }), now)
    expect(conditionText(status, 'Degraded')).toBe(
      `True ${reason} Failed to resync 4.16.0 because: E`,
    )
    expect(conditionText(status, 'Progressing')).toBe('False - Error while reconciling 4.16.0')
    expect(conditionText(status, 'Available')).toBe(
      'True AsExpected Cluster has deployed [{operator 4.16.0}]',
    )
    expect(status.versions).toEqual([{ name: 'operator', version: '4.16.0' }])
    expect(status.extension).toMatchObject({ lastSyncError: 'E' })
    const repaired = statusFor(status, facts(), now)
    expect(conditionText(repaired, 'Degraded')).toBe('False -')
    expect(repaired.extension).not.toHaveProperty('lastSyncError')
  })

  it('the status is stable while nothing changes', () => {
    const failing = facts({ failures: [failure] })
    const status = statusFor(settled(), failing, now)
    expect(statusFor(status, failing, '2026-01-03T00:00:00Z')).toEqual(status)
    expect(statusFor(settled(), facts(), now)).toEqual(settled())
  })
})

describe('during an upgrade', () => {
  const before = settled('4.15.9')

  it('the old version is reported until everything is done', () => {
    const waiting = statusFor(before, facts({ waitsFor: 'pool master' }), now)
    expect(conditionText(waiting, 'Progressing')).toBe('True - Working towards 4.16.0')
    expect(conditionText(waiting, 'Available')).toBe(
      'True AsExpected Cluster has deployed [{operator 4.15.9}]',
    )
    expect(conditionText(waiting, 'Degraded')).toBe('False -')
    expect(waiting.versions).toEqual([{ name: 'operator', version: '4.15.9' }])

    const failing = statusFor(waiting, facts({ failures: [failure] }), now)
    expect(conditionText(failing, 'Progressing')).toBe('True - Unable to apply 4.16.0')
    expect(conditionText(failing, 'Degraded')).toBe(
      'True RenderConfigFailed Unable to apply 4.16.0: input user-ca: it is empty',
    )
    expect(failing.versions).toEqual([{ name: 'operator', version: '4.15.9' }])

    const done = statusFor(failing, facts(), now)
    expect(conditionText(done, 'Progressing')).toBe('False - Cluster version is 4.16.0')
    expect(conditionText(done, 'Degraded')).toBe('False -')
    expect(done.versions).toEqual([{ name: 'operator', version: '4.16.0' }])
  })

  it('the image counts as a version', () => {
    const both = [...versions('4.16.0'), { name: 'operator-image', version: 'quay.io/a@sha256:1' }]
    const status = statusFor(settled(), facts({ versions: both, waitsFor: 'a' }), now)
    expect(conditionText(status, 'Progressing')).toBe('True - Working towards 4.16.0')
    expect(conditionText(statusFor(status, facts({ versions: both }), now), 'Available')).toBe(
      'True AsExpected Cluster has deployed [{operator 4.16.0} {operator-image quay.io/a@sha256:1}]',
    )
  })

  it('a rollback to the old operator ends it', () => {
    const waiting = statusFor(before, facts({ waitsFor: 'a' }), now)
    const back = facts({ versions: versions('4.15.9'), waitsFor: 'b' })
    expect(conditionText(statusFor(waiting, back, now), 'Progressing')).toBe(
      'False - Cluster version is 4.15.9',
    )
  })
})

describe('Upgradeable', () => {
  const upgradeable = (more: Partial<OperatorHealth>): string =>
    conditionText(statusFor(settled(), facts(more), now), 'Upgradeable')

  it('is True', () => {
    expect(upgradeable({})).toBe('True AsExpected')
    const updating = [pool('worker', 'Updating'), pool('master', 'Updating')]
    expect(upgradeable({ pools: updating })).toBe('True AsExpected')
  })

  it('is Unknown without pools', () => {
    expect(upgradeable({ pools: [] })).toBe('Unknown NoData')
  })

  it('is False with a degraded pool', () => {
    const pools = [pool('infra', 'BuildInterrupted'), pool('worker', 'Degraded'), pool('master')]
    expect(upgradeable({ pools })).toBe(
      'False DegradedPool degraded MachineConfigPools: worker; run `kubectl describe machineconfigpool` and repair them before upgrading',
    )
  })

  it('is False with an interrupted build', () => {
    expect(upgradeable({ pools: [pool('infra', 'BuildInterrupted'), pool('gpu')] })).toBe(
      'False InterruptedBuild MachineConfigPools with interrupted image builds: infra; run `kubectl get machineosbuild` and wait for the builds before upgrading',
    )
  })

  it('stays True with old kubelets, which are reported', () => {
    const node = (kubeletVersion: string): Node =>
      ({
        metadata: { name: 'a', labels: { role: 'worker' } },
        status: { nodeInfo: { kubeletVersion } },
      }) as unknown as Node
    const kubeAPIServer = {
      metadata: { name: 'kube-apiserver' },
      spec: {},
      status: { versions: [{ name: 'kube-apiserver', version: '1.29.0' }] },
    }
    const skew = (version: string): string =>
      upgradeable({ kubeAPIServer, nodes: [node(version)] })
        .split(' ')
        .slice(0, 2)
        .join(' ')
    expect(skew('v1.29.0')).toBe('True AsExpected')
    expect(skew('v1.27.0')).toBe('True KubeletSkewPresent')
    expect(skew('v1.26.0')).toBe('True KubeletSkewUnsupported')
    expect(skew('odd')).toBe('True KubeletSkewUnchecked')
    expect(skew('')).toBe('True KubeletSkewUnchecked')
    const pools = [pool('worker', 'Degraded')]
    expect(upgradeable({ kubeAPIServer, nodes: [node('v1.26.0')], pools })).toContain(
      'False DegradedPool',
    )
  })
})

it('settings that a later release may not support are reported', () => {
  const runtime = { containerRuntimeConfig: { defaultRuntime: 'runc' as const } }
  const more = {
    kubeletConfigs: [{ metadata: { name: 'a' }, spec: { kubeletConfig: { failSwapOn: false } } }],
    runtimeConfigs: [{ metadata: { name: 'b' }, spec: runtime }],
  } as unknown as Partial<OperatorHealth>
  expect(
    conditionText(statusFor(settled(), facts(more), now), 'EvaluationConditionsDetected'),
  ).toBe(
    'True failswapon: KubeletConfig setting is currently unsupported by OpenShift::runc: transition to default crun',
  )
})

it('the extension has a line for each pool, sorted by name', () => {
  const { extension } = statusFor(undefined, facts(), now)
  expect(JSON.stringify(extension)).toBe(
    '{"master":"all 3 nodes are at latest configuration rendered-master-1","worker":"all 3 nodes are at latest configuration rendered-worker-1"}',
  )
})

it('related objects are listed for must-gather', () => {
  const lines = statusFor(undefined, facts(), now).relatedObjects!.map(
    ({ group, resource, name }) => `${group} ${resource} ${name}`.trim(),
  )
  expect(lines).toEqual([
    'namespaces openshift-machine-config-operator',
    'machineconfiguration.openshift.io machineconfigpools',
    'machineconfiguration.openshift.io controllerconfigs',
    'machineconfiguration.openshift.io kubeletconfigs',
    'machineconfiguration.openshift.io containerruntimeconfigs',
    'machineconfiguration.openshift.io machineconfigs',
    'operator.openshift.io machineconfigurations',
    'machinist.dev nodetrusts',
    'nodes',
    'namespaces openshift-kni-infra',
    'namespaces openshift-openstack-infra',
    'namespaces openshift-ovirt-infra',
    'namespaces openshift-vsphere-infra',
    'namespaces openshift-nutanix-infra',
    'namespaces openshift-cloud-platform-infra',
  ])
})

it('conditions of other writers stay, and transition times change only with the status', () => {
  const other = { type: 'Disabled', status: 'False' as const, lastTransitionTime: then }
  const found = settled()
  const status = statusFor(
    { ...found, conditions: [other, ...found.conditions!] },
    facts({ failures: [failure] }),
    now,
  )
  const times = status.conditions!.map(({ type, lastTransitionTime }) => [type, lastTransitionTime])
  expect(times).toEqual([
    ['Disabled', then],
    ['Available', then],
    ['Progressing', then],
    ['Degraded', now],
    ['Upgradeable', then],
    ['EvaluationConditionsDetected', then],
  ])
})

it('the status is consistent for any order of events', () => {
  const event = fc.record({
    version: fc.constantFrom('4.15.9', '4.16.0', '4.17.0'),
    failing: fc.option(fc.constantFrom(...tasks), { nil: undefined }),
    waitsFor: fc.option(fc.constant('pool master'), { nil: undefined }),
  })
  fc.assert(
    fc.property(fc.array(event, { minLength: 1, maxLength: 8 }), (events) => {
      let status: ClusterOperatorStatus | undefined
      // The reference model.
      let shown: string | undefined
      let isAvailable = false
      for (const { version, failing, waitsFor } of events) {
        const failures = failing === undefined ? [] : [{ task: failing, message: 'E' }]
        const given = facts({ versions: versions(version), failures, waitsFor })
        status = statusFor(status, given, now)
        expect(statusFor(status, given, 'later')).toEqual(status)

        const isDone = failing === undefined && waitsFor === undefined
        shown = isDone ? version : (shown ?? version)
        const isUnderWay = !isDone && (shown !== version || !isAvailable)
        isAvailable ||= isDone
        const holds = (type: string): string => conditionText(status!, type).split(' ')[0]!
        const expected = [isAvailable, isUnderWay, failing !== undefined]
        expect([status.versions, ...['Available', 'Progressing', 'Degraded'].map(holds)]).toEqual([
          versions(shown),
          ...expected.map((one) => (one ? 'True' : 'False')),
        ])
      }
    }),
  )
})
