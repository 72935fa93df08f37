import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { apiServers, featureGates, nodeConfigs } from '../../../../src/api/openshift-config.ts'
import type { NodeConfig } from '../../../../src/api/openshift-config.ts'
import { machineConfigPools, machineConfigs } from '../../../../src/api/resources.ts'
import type { Condition } from '@machinist/core/resource'
import type { KubeClient } from '@machinist/kube/client'
import { mergePatch } from '@machinist/kube/patch'
import { installDefinitions, installLooseKinds } from '../../../../src/api/definitions.fixture.ts'
import { removeAll } from '@machinist/testing/remove-all'
import type { RunningControllers } from '../../../support/running-controllers.ts'
import { until } from '@machinist/testing/until'
import {
  begin,
  clusterKinds,
  confIn,
  runKubeletControllers,
  used,
} from '../kubelet-config/world.ts'
import {
  controllerConfig,
  emptySpec,
  generatedConfig,
  machineConfig,
  pool,
} from '../support/cluster-objects.ts'
import { namesOf } from '../support/machine-configs.ts'
import { eventTells, poolCondition, poolSays } from '../support/told.ts'

const cluster = { name: 'cluster' }
const v2 = ['systemd.unified_cgroup_hierarchy=1', 'cgroup_no_v1="all"']

/** What the cluster's own word comes to; the same on the embedded API server and on a real one. */
export function kubeletDefaultsCases(client: KubeClient): void {
  let running: RunningControllers

  beforeAll(async () => {
    await installDefinitions(client)
    await installLooseKinds(client, clusterKinds)
    await controllerConfig(client)
  })
  beforeEach(() => begin(client))
  afterEach(async () => {
    await running.stop()
    await removeAll(client, used)
  })

  const node = (spec: NodeConfig['spec']): Promise<unknown> =>
    client.create(nodeConfigs, { metadata: cluster, spec })
  const change = (spec: NodeConfig['spec']): Promise<unknown> =>
    client.patch(nodeConfigs, cluster, mergePatch({ spec }))
  const gates = (...enabled: string[]): Promise<unknown> =>
    client.create(featureGates, { metadata: cluster, spec: { customNoUpgrade: { enabled } } })
  const kernelArguments = async (name: string): Promise<string[] | undefined> =>
    (await client.get(machineConfigs, { name })).spec?.kernelArguments ?? undefined
  const are = (...wanted: string[]): Promise<void> =>
    until(`there are ${wanted.join(', ')}`, async () => {
      return (await namesOf(client, '9')).join() === wanted.join()
    })
  const type = 'machinist.dev/KubeletDefaultsDegraded'
  const told = (name: string): Promise<Condition | undefined> => poolCondition(client, name, type)
  const says = (name: string, status: string, text = ''): Promise<void> =>
    poolSays(client, name, { type, status, text })
  const frequency = (value: string | undefined): Promise<void> =>
    until(`workers speak up every ${value}`, async () => {
      return (
        (await confIn(client, '97-worker-generated-kubelet'))?.['nodeStatusUpdateFrequency'] ===
        value
      )
    })

  it('every built-in pool has its layers, and those that workers reach have none', async () => {
    await pool(client, 'lone', ['lone'])
    // The last one is left over from the original, which makes one for each pool.
    await generatedConfig(client, '98-infra-generated-kubelet', 'infra', emptySpec, 'machinist-0')
    await node({ workerLatencyProfile: 'MediumUpdateAverageReaction' })
    await gates('A')
    await client.create(apiServers, {
      metadata: cluster,
      spec: { tlsSecurityProfile: { type: 'Modern' } },
    })
    running = runKubeletControllers(client)
    await are(
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
    // Only its own maker may take a MachineConfig with a controller for something rendered.
    expect(metadata.ownerReferences![0]).not.toHaveProperty('controller')
    expect(await told('worker')).toBeUndefined()
    await client.remove(featureGates, cluster)
    await are(
      '97-lone-generated-kubelet',
      '97-master-generated-kubelet',
      '97-worker-generated-kubelet',
    )
  })

  it('a latency that leaps is refused, and the last good one stays', async () => {
    await node({ workerLatencyProfile: 'Default' })
    running = runKubeletControllers(client)
    await frequency('10s')
    await change({ workerLatencyProfile: 'LowUpdateSlowReaction' })
    await says('worker', 'True', 'transition not allowed from Default to LowUpdateSlowReaction')
    expect((await told('worker'))!.reason).toBe('BadKubeletDefaults')
    await frequency('10s')
    expect(await told('master')).toBeUndefined()
    await eventTells(client, { reason: 'ActionProhibited', about: 'Node' })
    await change({ workerLatencyProfile: 'MediumUpdateAverageReaction' })
    await frequency('20s')
    await says('worker', 'False')
    await change({ workerLatencyProfile: 'LowUpdateSlowReaction' })
    await frequency('1m0s')
  })

  it('what cannot be used holds back nothing else', async () => {
    await node({ cgroupMode: 'v1' })
    await gates('A')
    running = runKubeletControllers(client)
    await says('worker', 'True', 'Node cluster: spec.cgroupMode: "v1" cannot be used')
    await says('master', 'True', 'Node cluster: spec.cgroupMode: "v1" cannot be used')
    await are('98-master-generated-kubelet', '98-worker-generated-kubelet')
    await change({ cgroupMode: 'v2' })
    await says('worker', 'False')
    expect(await kernelArguments('97-worker-generated-kubelet')).toEqual(v2)
  })

  it('what a person made under our name stays, and other pools go on', async () => {
    await machineConfig(client, '98-worker-generated-kubelet', 'worker', emptySpec)
    await generatedConfig(client, '98-master-generated-kubelet', 'master', emptySpec, 'machinist-0')
    await gates('A')
    running = runKubeletControllers(client)
    await says('worker', 'True', 'MachineConfig 98-worker-generated-kubelet is not by a controller')
    expect((await told('worker'))!.reason).toBe('NotOurs')
    await until('masters have theirs', async () => {
      return (await confIn(client, '98-master-generated-kubelet')) !== undefined
    })
    expect(await confIn(client, '98-worker-generated-kubelet')).toBeUndefined()
    await client.remove(machineConfigs, { name: '98-worker-generated-kubelet' })
    await says('worker', 'False')
    expect(await confIn(client, '98-worker-generated-kubelet')).toMatchObject({
      featureGates: { A: true },
    })
  })

  it('a pool that would get them from workers has layers of its own while there is no pool of workers', async () => {
    await client.remove(machineConfigPools, { name: 'worker' })
    await gates('A')
    running = runKubeletControllers(client)
    await are('98-infra-generated-kubelet', '98-master-generated-kubelet')
    const conf = await confIn(client, '98-infra-generated-kubelet')
    expect(conf).toHaveProperty('featureGates', { A: true })
    await pool(client, 'worker', ['worker'])
    await are('98-master-generated-kubelet', '98-worker-generated-kubelet')
  })
}
