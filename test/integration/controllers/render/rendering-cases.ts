import { expect, it } from 'vitest'
import type { Config } from '@machinist/ignition/spec/config'
import { coreEvents } from '@machinist/kube/kinds/events'
import { until } from '@machinist/testing/until'
import { machineConfigPools, machineConfigs } from '../../../../src/api/kinds/resources.ts'
import { provenanceOf } from '../../../../src/planner/provenance/provenance.ts'
import { controllerConfig, machineConfig, motd, pool } from '../support/cluster-objects.ts'
import { namesOf, target } from '../support/machine-configs.ts'
import type { RenderCluster } from './render-cluster.ts'

const role = 'machineconfiguration.openshift.io/role'

/** What is rendered from which MachineConfigs. */
export function renderingCases(cluster: RenderCluster): void {
  const { client } = cluster

  it('renders the Ignition version of the release with the same name', async () => {
    await controllerConfig(client)
    await pool(client, 'worker', ['worker'])
    await machineConfig(client, '00-a', 'worker', motd('a'))
    cluster.run()
    await cluster.isRendered('worker')
    const { metadata, spec } = await cluster.renderedOf('worker')
    expect(spec?.config).toMatchObject({ ignition: { version: '3.5.0' } })
    await cluster.stop()

    cluster.run({ release: '4.16' })
    await until('daemons of 4.16 can read it', async () => {
      const { config } = (await cluster.renderedOf('worker')).spec as { config: Config }
      return config.ignition.version === '3.4.0'
    })
    expect(await target(client, 'worker')).toBe(metadata.name)
  })

  it('renders the MachineConfigs of a pool, stores the result and sets spec.configuration', async () => {
    await controllerConfig(client)
    const { metadata } = await pool(client, 'worker', ['worker'])
    await machineConfig(client, '99-b', 'worker', { ...motd('b'), kernelArguments: ['nosmt'] })
    await machineConfig(client, '00-a', 'worker', motd('a'))
    await machineConfig(client, '00-master', 'master', motd('master'))
    cluster.run()
    await cluster.isRendered('worker')

    const rendered = await cluster.renderedOf('worker')
    expect(rendered.metadata.name).toBe('rendered-worker-e27e443d28d677f3b9eca0a8de122955')
    expect(rendered.spec).toEqual({
      baseOSExtensionsContainerImage: 'registry.example/extensions@sha256:2',
      config: {
        ignition: { version: '3.5.0' },
        storage: {
          files: [
            { path: '/etc/motd', mode: 420, overwrite: true, contents: { source: 'data:,b' } },
          ],
        },
      },
      extensions: [],
      fips: false,
      kernelArguments: ['nosmt'],
      kernelType: 'default',
      osImageURL: 'registry.example/os@sha256:1',
    })
    expect(rendered.metadata.labels).toBeUndefined()
    expect(rendered.metadata.annotations).toMatchObject({
      'machineconfiguration.openshift.io/generated-by-controller-version': 'machinist-1',
      'machineconfiguration.openshift.io/release-image-version': '4.99.0',
    })
    expect(rendered.metadata.finalizers).toEqual(['machinist.dev/in-use'])
    expect(rendered.metadata.ownerReferences).toEqual([
      {
        apiVersion: 'machineconfiguration.openshift.io/v1',
        kind: 'MachineConfigPool',
        name: 'worker',
        uid: metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ])
    expect(provenanceOf(rendered)).toEqual({
      file: { '/etc/motd': '99-b' },
      kernelArguments: { '': '99-b', nosmt: '99-b' },
    })
    const { spec } = await client.get(machineConfigPools, { name: 'worker' })
    expect(spec.configuration).toEqual({
      name: rendered.metadata.name,
      source: ['00-a', '99-b'].map((name) => ({
        apiVersion: 'machineconfiguration.openshift.io/v1',
        kind: 'MachineConfig',
        name,
      })),
    })
    await cluster.flushEvents()
    const emitted = (await client.list(coreEvents, { namespace: 'default' })).items
    expect(emitted.map(({ reason, message }) => [reason, message])).toContainEqual([
      'RenderedConfigGenerated',
      `${rendered.metadata.name} was rendered from 2 MachineConfigs`,
    ])
  })

  it('a custom pool overrides what it inherits, regardless of names', async () => {
    await controllerConfig(client)
    await pool(client, 'infra', ['worker', 'infra'])
    await machineConfig(client, '99-worker', 'worker', motd('worker'))
    await machineConfig(client, '01-infra', 'infra', motd('infra'))
    cluster.run()
    await cluster.isRendered('infra')
    expect(provenanceOf(await cluster.renderedOf('infra'))?.file).toEqual({
      '/etc/motd': '01-infra',
    })
  })

  it('follows changed contents, changed labels and deletions', async () => {
    await controllerConfig(client)
    await pool(client, 'worker', ['worker'])
    await machineConfig(client, '00-a', 'worker', motd('a'))
    await machineConfig(client, '01-b', 'infra', motd('b'))
    cluster.run()
    await cluster.isRendered('worker')
    const first = await target(client, 'worker')

    await cluster.patch('01-b', { metadata: { labels: { [role]: 'worker' } } })
    await cluster.isRendered('worker', first)
    const second = await target(client, 'worker')

    await cluster.patch('01-b', { metadata: { labels: { [role]: 'infra' } } })
    await cluster.isRendered('worker', second)
    expect(await target(client, 'worker')).toBe(first)

    await cluster.patch('00-a', { spec: { kernelArguments: ['quiet'] } })
    await cluster.isRendered('worker', first)
    await client.remove(machineConfigs, { name: '00-a' })
    await cluster.isBlocked('worker', 'NoMachineConfigs')
  })

  it('batches changes before it renders them', async () => {
    await controllerConfig(client)
    await pool(client, 'worker', ['worker'])
    await machineConfig(client, '00-a', 'worker', motd('a'))
    cluster.run({ windowMs: 300 })
    await cluster.isRendered('worker')
    const first = await target(client, 'worker')
    for (const i of [1, 2, 3, 4]) {
      await machineConfig(client, `1${i}-more`, 'worker', { kernelArguments: [`arg-${i}`] })
    }
    await cluster.isRendered('worker', first)
    await until('all four are in', async () => {
      const { spec } = await cluster.renderedOf('worker')
      return spec?.kernelArguments?.length === 4
    })
    const rendered = await namesOf(client, 'rendered-')
    // On a busy machine the window may close between two changes, but never between all.
    expect(rendered.length).toBeLessThan(4)
  })

  it('repairs a changed rendered config, and recreates a deleted one', async () => {
    await controllerConfig(client)
    await pool(client, 'worker', ['worker'])
    await machineConfig(client, '00-a', 'worker', motd('a'))
    cluster.run()
    await cluster.isRendered('worker')
    const { name } = (await cluster.renderedOf('worker')).metadata
    await cluster.patch(name, { spec: { kernelArguments: ['evil'] } })
    await until('it is repaired', async () => {
      const { spec } = await client.get(machineConfigs, { name })
      return spec?.kernelArguments?.length === 0
    })
    await cluster.patch(name, {
      metadata: { annotations: { 'machinist.dev/provenance': null, mine: 'stays' } },
    })
    await until('its annotations are repaired', async () => {
      const { metadata } = await client.get(machineConfigs, { name })
      return metadata.annotations?.['machinist.dev/provenance'] !== undefined
    })
    expect((await client.get(machineConfigs, { name })).metadata.annotations?.['mine']).toBe(
      'stays',
    )
    const { uid } = (await client.get(machineConfigs, { name })).metadata
    await client.remove(machineConfigs, { name })
    await until('it exists again', async () => {
      const { items } = await client.list(machineConfigs)
      return items.some(({ metadata }) => metadata.name === name && metadata.uid !== uid)
    })
  })
}
