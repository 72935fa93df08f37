import { expect, it } from 'vitest'
import { coreEvents } from '@machinist/kube/kinds/events'
import { mergePatch } from '@machinist/kube/patch'
import {
  controllerConfigs,
  kubeletConfigs,
  machineConfigPools,
  machineConfigs,
} from '../../../../src/api/kinds/resources.ts'
import type { MachineConfigPool } from '../../../../src/api/kinds/resources.ts'
import {
  controllerConfig,
  machineConfig,
  motd,
  pool,
  templatesDone,
  theControllerConfig,
} from '../support/cluster-objects.ts'
import { target } from '../support/machine-configs.ts'
import type { RenderCluster } from './render-cluster.ts'

/** What the conditions and events of a pool report. */
export function reportCases(cluster: RenderCluster): void {
  const { client } = cluster

  it('reports what it waits for, and continues when it exists', async () => {
    await pool(client, 'worker', ['worker'])
    await machineConfig(client, '00-a', 'worker', motd('a'))
    cluster.run()
    await cluster.isBlocked('worker', 'ControllerConfigMissing')
    await controllerConfig(client, { version: '0.9.0', done: false })
    await cluster.isBlocked('worker', 'ControllerConfigVersion')
    expect(await cluster.renderDegraded('worker')).toMatchObject({
      status: 'Unknown',
      message:
        'Rendering of pool worker waits for ControllerConfig machine-config-controller: it has version 0.9.0, and this controller has version 1.2.3',
    })
    const version = { 'machineconfiguration.openshift.io/generated-by-version': '1.2.3' }
    await client.patch(
      controllerConfigs,
      theControllerConfig,
      mergePatch({ metadata: { annotations: version } }),
    )
    await cluster.isBlocked('worker', 'TemplatesNotDone')
    await templatesDone(
      client,
      (await client.get(controllerConfigs, theControllerConfig)).metadata.generation!,
    )
    await cluster.isRendered('worker')
    expect((await cluster.renderDegraded('worker'))?.message).toBe('')

    await client.create(kubeletConfigs, {
      metadata: { name: 'more-pods' },
      spec: { machineConfigPoolSelector: { matchLabels: { pool: 'worker' } } },
    })
    await cluster.isBlocked('worker', 'SettingsNotDone')
    expect((await cluster.renderDegraded('worker'))?.message).toContain('KubeletConfig more-pods')
    await client.remove(kubeletConfigs, { name: 'more-pods' })
    await cluster.isRendered('worker')
  })

  it('names an invalid MachineConfig and keeps the old target', async () => {
    await controllerConfig(client)
    await pool(client, 'worker', ['worker'])
    await machineConfig(client, '00-a', 'worker', motd('a'))
    cluster.run()
    await cluster.isRendered('worker')
    const good = await target(client, 'worker')
    await machineConfig(client, '50-bad', 'worker', {
      config: { ignition: { version: '3.2.0' }, storage: { files: [{ path: 'relative' }] } },
    })
    await cluster.isBlocked('worker', 'BadMachineConfig')
    expect(await cluster.renderDegraded('worker')).toMatchObject({
      status: 'True',
      message:
        'Failed to render configuration for pool worker: MachineConfig 50-bad: invalid Ignition config found in 50-bad: $.storage.files[0].path ("relative") must be an absolute path that starts with "/"',
    })
    expect(await target(client, 'worker')).toBe(good)
    await client.remove(machineConfigs, { name: '50-bad' })
    await cluster.isRendered('worker')

    await machineConfig(client, '60-disks', 'worker', {
      config: { ignition: { version: '3.2.0' }, storage: { disks: [{ device: '/dev/sdb' }] } },
    })
    await cluster.isBlocked('worker', 'NotReconcilable')
    expect((await cluster.renderDegraded('worker'))?.message).toBe(
      `Failed to render configuration for pool worker: nodes in ${good} cannot apply the new config: ignition disks section contains changes: disks are partitioned only on first boot (from 60-disks)`,
    )
    expect(await target(client, 'worker')).toBe(good)
  })

  it('keeps conditions of other controllers, and writes nothing without changes', async () => {
    await controllerConfig(client)
    await pool(client, 'worker', ['worker'])
    await machineConfig(client, '00-a', 'worker', motd('a'))
    const foreign = {
      type: 'Updating',
      status: 'True',
      reason: 'x',
      message: 'y',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    }
    await client.patch(
      machineConfigPools,
      { name: 'worker' },
      mergePatch({ status: { machineCount: 3, conditions: [foreign] } }),
      { subresource: 'status' },
    )
    cluster.run()
    await cluster.isRendered('worker')
    const seen = async (): Promise<MachineConfigPool> =>
      client.get(machineConfigPools, { name: 'worker' })
    const { metadata, status } = await seen()
    expect(status?.machineCount).toBe(3)
    expect(status?.conditions?.[0]).toEqual(foreign)
    expect(status?.conditions).toHaveLength(2)
    // A reconcile of this pool, and a later one of another pool that proves it.
    await cluster.patch('00-a', { metadata: { annotations: { mine: 'x' } } })
    await pool(client, 'other', ['other'])
    await cluster.isBlocked('other', 'NoMachineConfigs')
    expect((await seen()).metadata.resourceVersion).toBe(metadata.resourceVersion)
  })

  it('reports a key that Ignition ignores before any node changes', async () => {
    await controllerConfig(client)
    await pool(client, 'worker', ['worker'])
    await machineConfig(client, '00-a', 'worker', motd('a'))
    cluster.run()
    await cluster.isRendered('worker')
    const first = await target(client, 'worker')
    const hello = { path: '/etc/hello', contents: { inline: 'hello' } }
    await machineConfig(client, '99-hello', 'worker', {
      config: { ignition: { version: '3.2.0' }, storage: { files: [hello] } },
    })
    await cluster.isBlocked('worker', 'BadMachineConfig')
    expect(await target(client, 'worker')).toBe(first)
    await cluster.flushEvents()
    const emitted = (await client.list(coreEvents, { namespace: 'default' })).items
    expect(emitted.filter(({ message = '' }) => message.includes('99-hello'))).toMatchObject([
      {
        type: 'Warning',
        reason: 'BadMachineConfig',
        involvedObject: { kind: 'MachineConfigPool', name: 'worker' },
        message: expect.stringContaining(
          'MachineConfig 99-hello: spec.config.storage.files[0].contents.inline is ignored: ',
        ) as string,
      },
    ])
  })

  it('rejects a selector that selects everything', async () => {
    await controllerConfig(client)
    await client.create(machineConfigPools, {
      metadata: { name: 'all' },
      spec: { machineConfigSelector: {} },
    })
    cluster.run()
    await cluster.isBlocked('all', 'SelectingAll')
    expect(await target(client, 'all')).toBeUndefined()
  })
}
