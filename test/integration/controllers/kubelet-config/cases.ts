import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Condition } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import { mergePatch } from '@machinist/kube/patch'
import { removeAll } from '@machinist/testing/clusters/remove-all'
import { until } from '@machinist/testing/until'
import { featureGates } from '../../../../src/api/openshift-config.ts'
import { kubeletConfigs } from '../../../../src/api/kinds/resources.ts'
import {
  installDefinitions,
  installLooseKinds,
} from '../../../../src/api/definitions/definitions.fixture.ts'
import type { RunningControllers } from '../../../support/running-controllers.ts'
import { controllerConfig } from '../support/cluster-objects.ts'
import { filesOf, namesOf } from '../support/machine-configs.ts'
import {
  createPoolsAndBases,
  clusterKinds,
  confIn,
  runKubeletControllers,
  createKubeletConfig,
  usedKinds,
} from './running-controller.ts'

const mine = '99-worker-generated-kubelet'

/** Runs on the embedded API server and on a real one. */
export function kubeletConfigCases(client: KubeClient): void {
  let running: RunningControllers

  beforeAll(async () => {
    await installDefinitions(client)
    await controllerConfig(client)
  })
  beforeEach(() => createPoolsAndBases(client))
  afterEach(async () => {
    await running.stop()
    await removeAll(client, usedKinds)
  })

  const last = async (name: string): Promise<Condition | undefined> =>
    (await client.get(kubeletConfigs, { name })).status?.conditions?.at(-1)
  const expectCondition = (name: string, type: string, text = ''): Promise<void> =>
    until(`${name} says ${type} ${text}`, async () => {
      const condition = await last(name)
      return condition?.type === type && (condition.message ?? '').includes(text)
    })
  const has = (name: string, field: string, value: unknown): Promise<void> =>
    until(`${name} has ${field}: ${String(value)}`, async () => {
      return (await confIn(client, name))?.[field] === value
    })

  it('a KubeletConfig becomes a MachineConfig that extends the templates', async () => {
    const spec = {
      logLevel: 5,
      systemGomaxprocsBehavior: 'Autosize' as const,
      kubeletConfig: {
        maxPods: 100,
        protectKernelDefaults: false,
        systemReserved: { memory: '3Gi' },
      },
    }
    await createKubeletConfig(client, 'small', 'worker', spec)
    running = runKubeletControllers(client)
    await expectCondition('small', 'Success')
    const base = await confIn(client, '01-worker-kubelet')
    expect(await confIn(client, mine)).toEqual({
      ...base,
      maxPods: 100,
      protectKernelDefaults: false,
    })
    const files = await filesOf(client, mine)
    expect(Object.keys(files!)).toEqual([
      '/etc/kubernetes/kubelet.conf',
      '/etc/node-sizing-enabled.env',
      '/etc/systemd/system/kubelet.service.d/20-logging.conf',
    ])
    expect(files!['/etc/node-sizing-enabled.env']).toContain('SYSTEM_RESERVED_MEMORY=3Gi\n')
    const { metadata, status } = await client.get(kubeletConfigs, { name: 'small' })
    expect(metadata.finalizers).toEqual([mine])
    expect(status?.conditions?.map(({ type }) => type)).toEqual([
      'machinist.dev/NoEffect',
      'Accepted',
      'Success',
    ])
    // The cluster has no kubelet defaults, so there are no other MachineConfigs.
    expect(await namesOf(client, '9')).toEqual([mine])
  })

  it('a typing error is reported with the field and never reaches a node', async () => {
    await createKubeletConfig(client, 'typo', 'worker', { kubeletConfig: { maxPod: 100 } })
    running = runKubeletControllers(client)
    await expectCondition(
      'typo',
      'Failure',
      'spec.kubeletConfig.maxPod: unknown field; did you mean maxPods?',
    )
    expect(await namesOf(client, '9')).toEqual([])
    const repaired = mergePatch({ spec: { kubeletConfig: { maxPod: null, maxPods: 100 } } })
    await client.patch(kubeletConfigs, { name: 'typo' }, repaired)
    await expectCondition('typo', 'Success')
    expect(await confIn(client, mine)).toMatchObject({ maxPods: 100 })
  })

  it('settings that keep kubelets from starting are rejected', async () => {
    await createKubeletConfig(client, 'half', 'worker', {
      kubeletConfig: { evictionSoft: { 'memory.available': '1Gi' } },
    })
    running = runKubeletControllers(client)
    await expectCondition(
      'half',
      'Failure',
      'kubelets would not start: evictionSoft["memory.available"] requires',
    )
    expect(await namesOf(client, '9')).toEqual([])
  })

  it('an object for a custom pool overrides exactly what it sets', async () => {
    await createKubeletConfig(client, 'all', 'worker', {
      kubeletConfig: { maxPods: 100, podsPerCore: 10 },
    })
    await createKubeletConfig(client, 'few', 'infra', { kubeletConfig: { maxPods: 20 } })
    running = runKubeletControllers(client)
    await expectCondition('few', 'Success')
    await has('99-infra-generated-kubelet', 'podsPerCore', 10)
    expect(await confIn(client, '99-infra-generated-kubelet')).toMatchObject({ maxPods: 20 })
    await has(mine, 'maxPods', 100)
  })

  it('a KubeletConfig extends the kubelet defaults of the cluster', async () => {
    await installLooseKinds(client, clusterKinds)
    const customNoUpgrade = { enabled: ['A'] }
    const gate = {
      metadata: { name: 'cluster' },
      spec: { featureSet: 'CustomNoUpgrade', customNoUpgrade },
    }
    await client.create(featureGates, gate)
    await createKubeletConfig(client, 'small', 'worker', { kubeletConfig: { maxPods: 100 } })
    running = runKubeletControllers(client)
    await expectCondition('small', 'Success')
    expect(await confIn(client, mine)).toMatchObject({ maxPods: 100, featureGates: { A: true } })
    const more = mergePatch({ spec: { customNoUpgrade: { disabled: ['B'] } } })
    await client.patch(featureGates, { name: 'cluster' }, more)
    await until('both gates are there', async () => {
      const { featureGates: gates } = (await confIn(client, mine))!
      return (gates as Record<string, boolean>)['B'] === false
    })
    expect(await confIn(client, mine)).toMatchObject({ featureGates: { A: true, B: false } })
  })
}
