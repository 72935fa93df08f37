import { spawnSync } from 'node:child_process'
import { afterAll, describe, expect, it } from 'vitest'
import type { KubeClient } from '@machinist/kube/client/client'
import { configMaps } from '@machinist/kube/kinds/core'
import { ca } from '@machinist/testing/certificates/certificates'
import { end } from '@machinist/testing/processes/child-processes'
import { isCondition } from '../../src/api/conditions.ts'
import { machineConfigPools, trustRotations } from '../../src/api/kinds/resources.ts'
import { until } from './until.ts'
import {
  applyFile,
  bootIds,
  currentConfig,
  example,
  nodesOf,
  patchConfigMap,
  rendered,
  settled,
  targetOf,
} from './running-cluster.ts'
import { machinist, UpProcesses } from './up-processes.ts'

const up = new UpProcesses()
const { kubeconfig } = up
afterAll(() => up.stop(), 60_000)

/** Changes of certificates reach the disks of all nodes without a rollout. */
async function verifyTrustDelivery(client: KubeClient, pool: string): Promise<void> {
  const cluster = { client, kubeconfig }
  const key = 'ca-bundle.crt'
  const published = { namespace: 'openshift-config-managed', name: 'kube-apiserver-client-ca' }
  const clientCA = { namespace: 'openshift-config', name: 'admin-kubeconfig-client-ca' }
  const names = (await nodesOf(client, pool)).map(({ metadata }) => metadata.name)
  const booted = bootIds(await nodesOf(client, pool))
  const target = await targetOf(client, pool)
  const next = await ca('next')
  const isOnDisks = (expected: string): boolean =>
    names.every((name) => up.onDisk(name, 'etc/kubernetes/kubelet-ca.crt') === expected)

  const trusted = (await client.get(configMaps, published)).data![key]!
  await client.create(configMaps, { metadata: clientCA, data: { [key]: next } })
  await until('every node trusts the new client CA', () => isOnDisks(trusted + next))

  await patchConfigMap(cluster, clientCA, { [key]: 'no certificate' })
  await until('the TrustRotation is Degraded', async () => {
    const { status } = await client.get(trustRotations, { name: 'kube-apiserver-to-kubelet' })
    return isCondition(status?.conditions, 'Degraded')
  })
  expect(isOnDisks(trusted + next)).toBe(true)
  await patchConfigMap(cluster, clientCA, { [key]: next })

  // The signer owns the published bundle and reverts other writes.
  await patchConfigMap(cluster, published, { [key]: next })
  await until('the signer has reverted it', async () => {
    return (await client.get(configMaps, published)).data![key] === trusted + next
  })
  await client.remove(configMaps, clientCA)
  await until('the new client CA is no longer trusted', () => isOnDisks(trusted))
  expect(bootIds(await nodesOf(client, pool))).toEqual(booted)
  expect(await targetOf(client, pool)).toBe(target)
}

describe('machinist up', { timeout: 240_000 }, () => {
  it('continues after kill -9 in the middle of a rollout, and after Ctrl-C', async () => {
    const first = await up.start('1,3')
    await settled(first.client, 'worker', 3)
    const before = await targetOf(first.client, 'worker')
    const booted = bootIds(await nodesOf(first.client, 'worker'))
    const rival = spawnSync(machinist, up.argumentsFor('1,3'), { encoding: 'utf8' })
    expect(rival.status).toBe(1)
    expect(rival.stderr).toMatch(/^machinist: .*data.*\n$/)

    await applyFile({ client: first.client, kubeconfig }, example('kernel-argument'))
    const after = await rendered(first.client, 'worker', before)
    await until('one node is done and another is cordoned', async () => {
      const workers = await nodesOf(first.client, 'worker')
      const isDone = workers.some((node) => currentConfig(node) === after)
      return isDone && workers.some(({ spec }) => spec?.unschedulable)
    })
    await end(first.child, 'SIGKILL')

    const second = await up.start('1,3')
    await settled(second.client, 'worker', 3, after)
    const workers = await nodesOf(second.client, 'worker')
    expect(workers.map(currentConfig)).toEqual([after, after, after])
    expect(workers.some(({ spec }) => spec?.unschedulable)).toBe(false)
    expect(bootIds(workers).filter((id) => booted.includes(id))).toEqual([])
    await until('the status shows the updated pool', () =>
      /pool worker: Updated 3\/3/.test(second.output()),
    )
    await end(second.child, 'SIGINT')
    expect(second.child.exitCode).toBe(0)

    const third = await up.start('1,4')
    await until('the new node has joined', async () => {
      const { status } = await third.client.get(machineConfigPools, { name: 'worker' })
      return status?.updatedMachineCount === 4
    })
    expect(bootIds(await nodesOf(third.client, 'worker')).slice(0, 3)).toEqual(bootIds(workers))
    await verifyTrustDelivery(third.client, 'worker')
    await end(third.child, 'SIGTERM')
    expect(third.child.exitCode).toBe(0)

    const fewer = spawnSync(machinist, up.argumentsFor('1,2'), { encoding: 'utf8' })
    expect(fewer.status).toBe(1)
    expect(fewer.stderr).toContain('contains a cluster of master=1,worker=4')
  })
})
