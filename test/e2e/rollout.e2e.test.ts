import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { nodes, pods } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { nodeAnnotations } from '../../src/api/annotations.ts'
import { machineConfigs } from '../../src/api/kinds/resources.ts'
import { until } from './until.ts'
import { ObservedRollout } from './observed-rollout.ts'
import {
  applyFile,
  bootIds,
  currentConfig,
  deleteFile,
  example,
  isBusy,
  nodesOf,
  pausePool,
  podsOn,
  rendered,
  RunningCluster,
  targetOf,
  updatingMessage,
  defaultPools,
} from './running-cluster.ts'

let cluster: RunningCluster
beforeAll(async () => {
  cluster = await RunningCluster.start()
  await cluster.settled(...defaultPools)
}, 120_000)
afterAll(() => cluster.stop(), 60_000)

const role = 'machineconfiguration.openshift.io/role'

async function file(name: string, pool: string, path: string, text: string): Promise<void> {
  await cluster.client.create(machineConfigs, {
    metadata: { name, labels: { [role]: pool } },
    spec: {
      config: {
        ignition: { version: '3.4.0' },
        storage: { files: [{ path, mode: 420, contents: { source: `data:,${text}` } }] },
      },
    },
  })
}

/** Accelerated rollouts of every pool: minutes of a real cluster in seconds. */
describe('a cluster of nine nodes', { timeout: 240_000 }, () => {
  it('joins with the rendered configs of its pools, and runs its workloads', async () => {
    for (const pool of defaultPools) {
      const target = await targetOf(cluster.client, pool)
      const members = await nodesOf(cluster.client, pool)
      expect(members.map(currentConfig)).toEqual(members.map(() => target))
    }
    expect((await nodesOf(cluster.client, 'master')).length).toBe(3)
    expect((await nodesOf(cluster.client, 'worker')).length).toBe(4)
    expect((await nodesOf(cluster.client, 'infra')).length).toBe(2)
    expect(cluster.onDisk('worker-0', 'etc/kubernetes/kubelet.conf')).toContain(
      'KubeletConfiguration',
    )
    await until('all pods run', async () => {
      const { items } = await cluster.client.list(pods, { namespace: 'shop' })
      return items.length === 15 && items.every(({ status }) => status?.phase === 'Running')
    })
  })

  it('rolls out a change to every node: within budget, in order, drained, rebooted, uncordoned', async () => {
    const before = await targetOf(cluster.client, 'worker')
    const observed = new ObservedRollout(cluster.caches.nodes)
    const remaining: string[] = []
    const unsubscribe = cluster.caches.nodes.subscribe(async (change) => {
      if (change.type !== 'updated') return
      const drain = change.object.metadata.annotations?.[nodeAnnotations.lastAppliedDrain]
      if (drain === change.before.metadata.annotations?.[nodeAnnotations.lastAppliedDrain]) return
      if (!drain?.startsWith('drain-')) return
      const found = await podsOn(cluster.client, change.object.metadata.name)
      remaining.push(...found.map(({ metadata }) => metadata.name))
    })
    await applyFile(cluster, example('kernel-argument'))
    await file('60-master-motd', 'master', '/etc/motd', 'hello')
    await rendered(cluster.client, 'worker', before)
    await cluster.settled(...defaultPools)
    unsubscribe()
    observed.stop()
    expect(Object.fromEntries(observed.maxDisrupted)).toEqual({ master: 1, worker: 1, infra: 1 })
    expect(remaining).toEqual([])
    const everyStep = ['cordoned', 'rebooted', 'updated', 'uncordoned']
    for (const steps of observed.steps.values())
      expect(steps.toSorted()).toEqual(everyStep.toSorted())
    expect(observed.steps.size).toBe(9)
    for (const steps of observed.steps.values()) {
      expect(steps[0]).toBe('cordoned')
      expect(steps.indexOf('rebooted')).toBeLessThan(steps.indexOf('uncordoned'))
    }
    // Zone by zone, in each the oldest first: worker-0 and worker-3 share the first zone.
    const workers = observed.order.filter((name) => name.startsWith('worker'))
    expect(workers.slice(0, 2).toSorted()).toEqual(['worker-0', 'worker-3'])
    expect(workers.slice(2)).toEqual(['worker-1', 'worker-2'])
    expect(observed.order.filter((name) => name.startsWith('master'))).toEqual([
      'master-0',
      'master-1',
      'master-2',
    ])
    expect(cluster.onDisk('worker-3', 'proc/cmdline')).toContain('audit=1')
    expect(cluster.onDisk('master-2', 'etc/motd')).toBe('hello')
    const after = await nodesOf(cluster.client, 'worker')
    expect(after.map(({ spec }) => spec?.unschedulable ?? false)).toEqual(after.map(() => false))
  })

  it('applies a change without a reboot if none is needed', async () => {
    const before = await targetOf(cluster.client, 'worker')
    const booted = bootIds(await nodesOf(cluster.client, 'worker'))
    await applyFile(cluster, example('without-reboot'))
    await rendered(cluster.client, 'worker', before)
    await cluster.settled('worker', 'infra')
    expect(bootIds(await nodesOf(cluster.client, 'worker'))).toEqual(booted)
    expect(cluster.onDisk('worker-1', 'etc/containers/registries.d/example.yaml')).toBe(
      'docker: {}\n',
    )
    expect(cluster.onDisk('worker-1', 'var/log/machinist-sandbox.log')).toMatch(/reload.* crio/)
  })

  it('stops at the first node that cannot apply a config, and recovers when it is deleted', async () => {
    const good = await targetOf(cluster.client, 'worker')
    await applyFile(cluster, example('bad'))
    const bad = await rendered(cluster.client, 'worker', good)
    const message = await updatingMessage(cluster.client, 'worker', /^StoppedByFailures: /)
    expect(message).toMatch(/0 of 4 nodes are updated.*os-release/)
    const affected = (await nodesOf(cluster.client, 'worker')).filter(
      ({ metadata }) => metadata.annotations?.[nodeAnnotations.desiredConfig] === bad,
    )
    expect(affected).toHaveLength(1)
    await deleteFile(cluster, example('bad'))
    await rendered(cluster.client, 'worker', bad)
    expect(await targetOf(cluster.client, 'worker')).toBe(good)
    await cluster.settled('worker', 'infra')
    await until('no node is cordoned', async () =>
      (await nodesOf(cluster.client, 'worker')).every(({ spec }) => !spec?.unschedulable),
    )
  })

  it('waits while a pool is paused, and continues afterwards', async () => {
    const before = await targetOf(cluster.client, 'infra')
    await pausePool(cluster.client, 'infra', true)
    await file('80-infra', 'infra', '/etc/infra', 'paused')
    const after = await rendered(cluster.client, 'infra', before)
    await updatingMessage(cluster.client, 'infra', /^Paused: .*paused/)
    const members = await nodesOf(cluster.client, 'infra')
    expect(members.map(currentConfig)).toEqual([before, before])
    expect(members.some(isBusy)).toBe(false)
    await pausePool(cluster.client, 'infra', false)
    await cluster.settled('infra')
    expect((await nodesOf(cluster.client, 'infra')).map(currentConfig)).toEqual([after, after])
    expect(cluster.onDisk('infra-1', 'etc/infra')).toBe('paused')
  })

  it('names a node that a user has cordoned as the reason', async () => {
    const cordon = (unschedulable: boolean | null): Promise<unknown> =>
      cluster.client.patch(nodes, { name: 'infra-1' }, mergePatch({ spec: { unschedulable } }))
    const before = await targetOf(cluster.client, 'infra')
    await cordon(true)
    await file('81-infra', 'infra', '/etc/infra-2', 'cordoned')
    await rendered(cluster.client, 'infra', before)
    const message = await updatingMessage(cluster.client, 'infra', /^Blocked: 0 of 2 /)
    expect(message).toMatch(/node infra-1 cordoned by a user since \d{4}-/)
    await cordon(null)
    await cluster.settled('infra')
    expect(cluster.onDisk('infra-1', 'etc/infra-2')).toBe('cordoned')
  })
})
