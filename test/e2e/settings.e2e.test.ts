import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseYaml } from '@machinist/core/encoding/yaml'
import { isNotFound } from '@machinist/kube/failure'
import type { KubeletConfig } from '../../src/api/kinds/resources.ts'
import { kubeletConfigs, machineConfigPools } from '../../src/api/kinds/resources.ts'
import { conditionOf } from '../../src/api/conditions.ts'
import {
  applyFile,
  deleteFile,
  example,
  rendered,
  RunningCluster,
  settled,
  targetOf,
} from './running-cluster.ts'
import { until } from './until.ts'

/** Two nodes per worker pool, so that drained pods find another node. */
const size = new Map([
  ['master', 1],
  ['worker', 2],
  ['infra', 2],
])

let cluster: RunningCluster
beforeAll(async () => {
  cluster = await RunningCluster.start({ size })
  await all()
}, 120_000)
afterAll(() => cluster.stop(), 60_000)

const all = async (): Promise<void> => {
  for (const [pool, count] of size) await settled(cluster.client, pool, count)
}

const kubeletOf = (node: string): Record<string, unknown> =>
  parseYaml(cluster.onDisk(node, 'etc/kubernetes/kubelet.conf'), node) as Record<string, unknown>

const forPool = (name: string, pool: string, kubeletConfig: object): KubeletConfig => ({
  metadata: { name },
  spec: {
    machineConfigPoolSelector: {
      matchLabels: { [`pools.operator.machineconfiguration.openshift.io/${pool}`]: '' },
    },
    kubeletConfig: { ...kubeletConfig },
  },
})

async function lastCondition(name: string): Promise<string> {
  let text = ''
  await until(`KubeletConfig ${name} has a condition`, async () => {
    const { metadata, status } = await cluster.client.get(kubeletConfigs, { name })
    const last = status?.conditions?.at(-1)
    text = `${last?.type}: ${last?.message}`
    return last !== undefined && status?.observedGeneration === metadata.generation
  })
  return text
}

async function waitForDeletion(name: string): Promise<void> {
  await until(`KubeletConfig ${name} is gone`, async () => {
    try {
      await cluster.client.get(kubeletConfigs, { name })
      return false
    } catch (error) {
      if (isNotFound(error)) return true
      throw error
    }
  })
}

/** Kubelet settings from the object to the disk and back. */
describe('kubelet settings in a cluster', { timeout: 240_000 }, () => {
  const before: Record<string, unknown> = {}

  it('reach every node of the pool, and those of pools that inherit from it', async () => {
    for (const node of ['master-0', 'worker-0', 'infra-0']) before[node] = kubeletOf(node)
    const target = await targetOf(cluster.client, 'worker')
    await applyFile(cluster, example('kubelet-config'))
    await rendered(cluster.client, 'worker', target)
    await all()
    expect(kubeletOf('worker-0')).toMatchObject({ maxPods: 150 })
    expect(kubeletOf('infra-0')).toMatchObject({ maxPods: 150 })
    expect(kubeletOf('master-0')).toEqual(before['master-0'])
  })

  it('of a custom pool change only their own fields of the inherited settings', async () => {
    const target = await targetOf(cluster.client, 'infra')
    await cluster.client.create(
      kubeletConfigs,
      forPool('infra-settings', 'infra', { podsPerCore: 20, serializeImagePulls: true }),
    )
    await rendered(cluster.client, 'infra', target)
    await all()
    expect(kubeletOf('infra-0')).toMatchObject({
      maxPods: 150,
      podsPerCore: 20,
      serializeImagePulls: true,
    })
    expect(kubeletOf('worker-0')).toMatchObject({ maxPods: 150, serializeImagePulls: false })
  })

  it('that are invalid do not reach nodes, and other pools continue', async () => {
    await cluster.client.create(kubeletConfigs, forPool('typo', 'worker', { maxPodz: 10 }))
    expect(await lastCondition('typo')).toMatch(/^Failure: .*maxPodz/)
    await until('the pool is RenderDegraded', async () => {
      const { status } = await cluster.client.get(machineConfigPools, { name: 'worker' })
      const degraded = conditionOf(status?.conditions, 'RenderDegraded')
      return degraded?.status === 'True' && degraded.message!.includes('KubeletConfig typo')
    })
    const target = await targetOf(cluster.client, 'infra')
    await cluster.client.create(
      kubeletConfigs,
      forPool('more-for-infra', 'infra', { maxOpenFiles: 2_000_000 }),
    )
    await rendered(cluster.client, 'infra', target)
    await settled(cluster.client, 'infra', 2)
    expect(kubeletOf('infra-0')).toMatchObject({ maxPods: 150, maxOpenFiles: 2_000_000 })
    await cluster.client.remove(kubeletConfigs, { name: 'typo' })
    await waitForDeletion('typo')
  })

  it('that are invalid for one pool apply to the others', async () => {
    const target = await targetOf(cluster.client, 'worker')
    await cluster.client.create(kubeletConfigs, {
      metadata: { name: 'everywhere' },
      spec: {
        machineConfigPoolSelector: {
          matchLabels: { 'machineconfiguration.openshift.io/mco-built-in': '' },
        },
        kubeletConfig: { staticPodPath: '', podPidsLimit: 5000 },
      },
    })
    expect(await lastCondition('everywhere')).toMatch(
      /^Failure: Error: pool master: .*staticPodPath/,
    )
    await rendered(cluster.client, 'worker', target)
    for (const pool of ['worker', 'infra']) await settled(cluster.client, pool, 2)
    expect(kubeletOf('worker-1')).toMatchObject({ maxPods: 150, podPidsLimit: 5000 })
    expect(kubeletOf('master-0')).toEqual(before['master-0'])
    await cluster.client.remove(kubeletConfigs, { name: 'everywhere' })
    await waitForDeletion('everywhere')
  })

  it('leave nothing behind when they are deleted', async () => {
    const target = await targetOf(cluster.client, 'worker')
    await cluster.client.remove(kubeletConfigs, { name: 'infra-settings' })
    await cluster.client.remove(kubeletConfigs, { name: 'more-for-infra' })
    await deleteFile(cluster, example('kubelet-config'))
    await rendered(cluster.client, 'worker', target)
    await all()
    for (const node of ['master-0', 'worker-0', 'infra-0'])
      expect(kubeletOf(node)).toEqual(before[node])
  })
})

describe('image registries in a cluster', { timeout: 240_000 }, () => {
  const registries = 'etc/containers/registries.conf'
  const nodes = ['master-0', 'worker-1', 'infra-0']
  const onDisk = (): string[] => nodes.map((node) => cluster.onDisk(node, registries))

  it('reach every node with kubectl alone, and are removed with their objects', async () => {
    const before = onDisk()
    const first = await targetOf(cluster.client, 'worker')
    await applyFile(cluster, example('image-mirrors'))
    await until('all nodes have both registries', async () => {
      await all()
      return onDisk().every(
        (text) =>
          text.includes('location = "mirror.example.com/team"') &&
          text.includes('location = "untrusted.example.com"\n  blocked = true'),
      )
    })
    await deleteFile(cluster, example('image-mirrors'))
    await until('the pool has its first config again', async () => {
      return (await targetOf(cluster.client, 'worker')) === first
    })
    await all()
    expect(onDisk()).toEqual(before)
  })
})
