import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Condition } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import { mergePatch } from '@machinist/kube/patch'
import { removeAll } from '@machinist/testing/clusters/remove-all'
import { until } from '@machinist/testing/until'
import { apiServers, featureGates, nodeConfigs } from '../../../../src/api/openshift-config.ts'
import type { NodeConfig } from '../../../../src/api/openshift-config.ts'
import { machineConfigPools, machineConfigs } from '../../../../src/api/kinds/resources.ts'
import {
  installDefinitions,
  installLooseKinds,
} from '../../../../src/api/definitions/definitions.fixture.ts'
import type { RunningControllers } from '../../../support/running-controllers.ts'
import {
  createPoolsAndBases,
  clusterKinds,
  confIn,
  runKubeletControllers,
  usedKinds,
} from '../kubelet-config/running-controller.ts'
import {
  controllerConfig,
  emptySpec,
  generatedConfig,
  machineConfig,
  pool,
} from '../support/cluster-objects.ts'
import { namesOf } from '../support/machine-configs.ts'
import { untilEvent, poolCondition, untilPoolCondition } from '../support/reported.ts'

const cluster = { name: 'cluster' }
const v2 = ['systemd.unified_cgroup_hierarchy=1', 'cgroup_no_v1="all"']

/** Runs on the embedded API server and on a real one. */
export function kubeletDefaultsCases(client: KubeClient): void {
  let running: RunningControllers

  beforeAll(async () => {
    await installDefinitions(client)
    await installLooseKinds(client, clusterKinds)
    await controllerConfig(client)
  })
  beforeEach(() => createPoolsAndBases(client))
  afterEach(async () => {
    await running.stop()
    await removeAll(client, usedKinds)
  })

  const node = (spec: NodeConfig['spec']): Promise<unknown> =>
    client.create(nodeConfigs, { metadata: cluster, spec })
  const change = (spec: NodeConfig['spec']): Promise<unknown> =>
    client.patch(nodeConfigs, cluster, mergePatch({ spec }))
  const gates = (...enabled: string[]): Promise<unknown> =>
    client.create(featureGates, { metadata: cluster, spec: { customNoUpgrade: { enabled } } })
  const kernelArguments = async (name: string): Promise<string[] | undefined> =>
    (await client.get(machineConfigs, { name })).spec?.kernelArguments ?? undefined
  const expectLayers = (...desired: string[]): Promise<void> =>
    until(`there are ${desired.join(', ')}`, async () => {
      return (await namesOf(client, '9')).join() === desired.join()
    })
  const type = 'machinist.dev/KubeletDefaultsDegraded'
  const conditionOf = (name: string): Promise<Condition | undefined> =>
    poolCondition(client, name, type)
  const expectCondition = (name: string, status: string, text = ''): Promise<void> =>
    untilPoolCondition(client, name, { type, status, text })
  const frequency = (value: string | undefined): Promise<void> =>
    until(`the frequency of workers is ${value}`, async () => {
      return (
        (await confIn(client, '97-worker-generated-kubelet'))?.['nodeStatusUpdateFrequency'] ===
        value
      )
    })

  it('every built-in pool has layers, and pools that select those of workers have none', async () => {
    await pool(client, 'lone', ['lone'])
    // A leftover of MCO, which creates one for each pool.
    await generatedConfig(client, '98-infra-generated-kubelet', 'infra', emptySpec, 'machinist-0')
    await node({ workerLatencyProfile: 'MediumUpdateAverageReaction' })
    await gates('A')
    await client.create(apiServers, {
      metadata: cluster,
      spec: { tlsSecurityProfile: { type: 'Modern' } },
    })
    running = runKubeletControllers(client)
    await expectLayers(
      '97-lone-generated-kubelet',
      '97-master-generated-kubelet',
      '97-worker-generated-kubelet',
      '98-lone-generated-kubelet',
      '98-master-generated-kubelet',
      '98-worker-generated-kubelet',
    )
    const base = await confIn(client, '01-worker-kubelet')
    const workers = {
      ...base,
      nodeStatusUpdateFrequency: '20s',
      tlsMinVersion: 'VersionTLS13',
      tlsCipherSuites: [
        'TLS_AES_128_GCM_SHA256',
        'TLS_AES_256_GCM_SHA384',
        'TLS_CHACHA20_POLY1305_SHA256',
      ],
    }
    expect(await confIn(client, '97-worker-generated-kubelet')).toEqual(workers)
    expect(await confIn(client, '98-worker-generated-kubelet')).toEqual({
      ...workers,
      featureGates: { A: true },
    })
    expect(await confIn(client, '97-master-generated-kubelet')).not.toHaveProperty(
      'nodeStatusUpdateFrequency',
    )
    expect(await kernelArguments('97-master-generated-kubelet')).toEqual(v2)
    expect(await kernelArguments('97-lone-generated-kubelet')).toBeUndefined()
    const { metadata } = await client.get(machineConfigs, { name: '98-worker-generated-kubelet' })
    expect(metadata).toMatchObject({
      labels: { 'machineconfiguration.openshift.io/role': 'worker' },
      annotations: {
        'machineconfiguration.openshift.io/generated-by-controller-version': 'machinist-1',
      },
      ownerReferences: [{ kind: 'MachineConfigPool', name: 'worker' }],
    })
    // A MachineConfig with a controller reference would look like a rendered one.
    expect(metadata.ownerReferences![0]).not.toHaveProperty('controller')
    expect(await conditionOf('worker')).toBeUndefined()
    await client.remove(featureGates, cluster)
    await expectLayers(
      '97-lone-generated-kubelet',
      '97-master-generated-kubelet',
      '97-worker-generated-kubelet',
    )
  })

  it('a latency profile that skips a step is rejected, and the last valid one stays', async () => {
    await node({ workerLatencyProfile: 'Default' })
    running = runKubeletControllers(client)
    await frequency('10s')
    await change({ workerLatencyProfile: 'LowUpdateSlowReaction' })
    await expectCondition(
      'worker',
      'True',
      'transition not allowed from Default to LowUpdateSlowReaction',
    )
    expect((await conditionOf('worker'))!.reason).toBe('BadKubeletDefaults')
    await frequency('10s')
    expect(await conditionOf('master')).toBeUndefined()
    await untilEvent(client, { reason: 'ActionProhibited', about: 'Node' })
    await change({ workerLatencyProfile: 'MediumUpdateAverageReaction' })
    await frequency('20s')
    await expectCondition('worker', 'False')
    await change({ workerLatencyProfile: 'LowUpdateSlowReaction' })
    await frequency('1m0s')
  })

  it('an invalid setting does not block others', async () => {
    await node({ cgroupMode: 'v1' })
    await gates('A')
    running = runKubeletControllers(client)
    await expectCondition('worker', 'True', 'Node cluster: spec.cgroupMode: "v1" is not supported')
    await expectCondition('master', 'True', 'Node cluster: spec.cgroupMode: "v1" is not supported')
    await expectLayers('98-master-generated-kubelet', '98-worker-generated-kubelet')
    await change({ cgroupMode: 'v2' })
    await expectCondition('worker', 'False')
    expect(await kernelArguments('97-worker-generated-kubelet')).toEqual(v2)
  })

  it("a user's MachineConfig of the same name is kept, and other pools proceed", async () => {
    await machineConfig(client, '98-worker-generated-kubelet', 'worker', emptySpec)
    await generatedConfig(client, '98-master-generated-kubelet', 'master', emptySpec, 'machinist-0')
    await gates('A')
    running = runKubeletControllers(client)
    await expectCondition(
      'worker',
      'True',
      'MachineConfig 98-worker-generated-kubelet was not generated by a controller',
    )
    expect((await conditionOf('worker'))!.reason).toBe('NotOurs')
    await until('master has its layer', async () => {
      return (await confIn(client, '98-master-generated-kubelet')) !== undefined
    })
    expect(await confIn(client, '98-worker-generated-kubelet')).toBeUndefined()
    await client.remove(machineConfigs, { name: '98-worker-generated-kubelet' })
    await expectCondition('worker', 'False')
    expect(await confIn(client, '98-worker-generated-kubelet')).toMatchObject({
      featureGates: { A: true },
    })
  })

  it('a pool that selects the layers of workers has its own while there is no worker pool', async () => {
    await client.remove(machineConfigPools, { name: 'worker' })
    await gates('A')
    running = runKubeletControllers(client)
    await expectLayers('98-infra-generated-kubelet', '98-master-generated-kubelet')
    const conf = await confIn(client, '98-infra-generated-kubelet')
    expect(conf).toHaveProperty('featureGates', { A: true })
    await pool(client, 'worker', ['worker'])
    await expectLayers('98-master-generated-kubelet', '98-worker-generated-kubelet')
  })
}
