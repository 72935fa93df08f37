import { expect, it } from 'vitest'
import { nodes } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { until } from '@machinist/testing/until'
import { machineConfigPools, machineConfigs } from '../../../../src/api/kinds/resources.ts'
import { controllerConfig, machineConfig, motd, pool } from '../support/cluster-objects.ts'
import { isGone, namesOf, target } from '../support/machine-configs.ts'
import type { RenderCluster } from './render-cluster.ts'

/** Which rendered configs are kept, and how long. */
export function keptConfigCases(cluster: RenderCluster): void {
  const { client } = cluster

  it('keeps configs in use and the newest ones, and deletes the others', async () => {
    await controllerConfig(client)
    await pool(client, 'worker', ['worker'])
    await machineConfig(client, '00-a', 'worker', motd('0'))
    cluster.run({ keep: 2 })
    await cluster.isRendered('worker')
    const all: string[] = [(await target(client, 'worker'))!]
    await client.create(nodes, {
      metadata: {
        name: 'node-1',
        annotations: { 'machineconfiguration.openshift.io/currentConfig': all[0]! },
      },
    })
    for (const i of [1, 2, 3, 4]) {
      await cluster.patch('00-a', { spec: motd(`${i}`) })
      await cluster.isRendered('worker', all.at(-1))
      all.push((await target(client, 'worker'))!)
    }
    const left = (): Promise<string[]> => namesOf(client, 'rendered-')
    await until('only three are left', async () => (await left()).length <= 3)
    expect(await left()).toContain(all[0])
    expect(await left()).toContain(all[4])
    expect(await left()).toHaveLength(3)
  })

  it('keeps the rendered config of a deleted pool until no node uses it', async () => {
    await controllerConfig(client)
    await pool(client, 'infra', ['worker'])
    await machineConfig(client, '00-a', 'worker', motd('0'))
    cluster.run()
    await cluster.isRendered('infra')
    const unused = (await target(client, 'infra'))!
    await cluster.patch('00-a', { spec: motd('1') })
    await cluster.isRendered('infra', unused)
    const used = (await target(client, 'infra'))!
    const key = { name: 'infra-1' }
    const runs = (config: string) => ({
      annotations: { 'machineconfiguration.openshift.io/currentConfig': config },
    })
    await client.create(nodes, { metadata: { ...key, ...runs(used) } })
    await client.remove(machineConfigPools, { name: 'infra' })
    // No node uses the first one.
    await isGone(client, unused)
    expect(await namesOf(client, 'rendered-')).toEqual([used])
    await client.patch(nodes, key, mergePatch({ metadata: runs('rendered-worker-1') }))
    await isGone(client, used)
  })

  it('keeps a deleted rendered config while nodes use it', async () => {
    await controllerConfig(client)
    await pool(client, 'worker', ['worker'])
    await machineConfig(client, '00-a', 'worker', motd('0'))
    cluster.run()
    await cluster.isRendered('worker')
    const name = (await target(client, 'worker'))!
    await client.create(nodes, {
      metadata: {
        name: 'node-1',
        annotations: { 'machineconfiguration.openshift.io/currentConfig': name },
      },
    })
    await cluster.patch('00-a', { spec: motd('1') })
    await cluster.isRendered('worker', name)
    await client.remove(machineConfigs, { name })
    // A later reconcile of another pool proves that the deletion was processed.
    await pool(client, 'other', ['other'])
    await cluster.isBlocked('other', 'NoMachineConfigs')
    const { metadata } = await client.get(machineConfigs, { name })
    expect(metadata.deletionTimestamp).toBeDefined()
    await client.remove(nodes, { name: 'node-1' })
    await isGone(client, name)
  })
}
