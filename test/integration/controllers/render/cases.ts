import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Condition } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import type { Config } from '@machinist/ignition/spec/config'
import { coreEvents } from '@machinist/kube/kinds/events'
import { nodes } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { removeAll } from '@machinist/testing/clusters/remove-all'
import { until } from '@machinist/testing/until'
import { setCondition } from '../../../../src/api/conditions.ts'
import {
  controllerConfigs,
  kubeletConfigs,
  machineConfigPools,
  machineConfigs,
} from '../../../../src/api/kinds/resources.ts'
import type { MachineConfig, MachineConfigPool } from '../../../../src/api/kinds/resources.ts'
import { provenanceOf } from '../../../../src/planner/provenance/provenance.ts'
import { installDefinitions } from '../../../../src/api/definitions/definitions.fixture.ts'
import type { RunningControllers } from '../../../support/running-controllers.ts'
import {
  controllerConfig,
  machineConfig,
  motd,
  pool,
  templatesDone,
  theControllerConfig,
} from '../support/cluster-objects.ts'
import { isGone, namesOf, target } from '../support/machine-configs.ts'
import { poolCondition } from '../support/reported.ts'
import { runRender } from './run-render.ts'

const role = 'machineconfiguration.openshift.io/role'
const used = [machineConfigPools, machineConfigs, controllerConfigs, kubeletConfigs, nodes]

/** Runs on the embedded API server and on a real one. */
export function renderCases(client: KubeClient): void {
  let running: RunningControllers

  beforeAll(() => installDefinitions(client))
  afterEach(async () => {
    await running.stop()
    await removeAll(client, used)
  })

  const renderDegraded = (name: string): Promise<Condition | undefined> =>
    poolCondition(client, name, 'RenderDegraded')
  const isRendered = (name: string, than?: string): Promise<void> =>
    until(`${name} is rendered`, async () => {
      const condition = await renderDegraded(name)
      const configured = await target(client, name)
      return condition?.status === 'False' && configured !== undefined && configured !== than
    })
  const isBlocked = (name: string, reason: string): Promise<void> =>
    until(`${name} has reason ${reason}`, async () => {
      return (await renderDegraded(name))?.reason === reason
    })
  const renderedOf = async (name: string): Promise<MachineConfig> =>
    client.get(machineConfigs, { name: (await target(client, name))! })
  const patch = (name: string, body: object): Promise<MachineConfig> =>
    client.patch(machineConfigs, { name }, mergePatch(body))

  it('renders the Ignition version of the release with the same name', async () => {
    await controllerConfig(client)
    await pool(client, 'worker', ['worker'])
    await machineConfig(client, '00-a', 'worker', motd('a'))
    running = runRender(client)
    await isRendered('worker')
    const { metadata, spec } = await renderedOf('worker')
    expect(spec?.config).toMatchObject({ ignition: { version: '3.5.0' } })
    await running.stop()

    running = runRender(client, { release: '4.16' })
    await until('daemons of 4.16 can read it', async () => {
      const { config } = (await renderedOf('worker')).spec as { config: Config }
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
    running = runRender(client)
    await isRendered('worker')

    const rendered = await renderedOf('worker')
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
    await running.events.flush()
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
    running = runRender(client)
    await isRendered('infra')
    expect(provenanceOf(await renderedOf('infra'))?.file).toEqual({ '/etc/motd': '01-infra' })
  })

  it('follows changed contents, changed labels and deletions', async () => {
    await controllerConfig(client)
    await pool(client, 'worker', ['worker'])
    await machineConfig(client, '00-a', 'worker', motd('a'))
    await machineConfig(client, '01-b', 'infra', motd('b'))
    running = runRender(client)
    await isRendered('worker')
    const first = await target(client, 'worker')

    await patch('01-b', { metadata: { labels: { [role]: 'worker' } } })
    await isRendered('worker', first)
    const second = await target(client, 'worker')

    await patch('01-b', { metadata: { labels: { [role]: 'infra' } } })
    await isRendered('worker', second)
    expect(await target(client, 'worker')).toBe(first)

    await patch('00-a', { spec: { kernelArguments: ['quiet'] } })
    await isRendered('worker', first)
    await client.remove(machineConfigs, { name: '00-a' })
    await isBlocked('worker', 'NoMachineConfigs')
  })

  it('batches changes before it renders them', async () => {
    await controllerConfig(client)
    await pool(client, 'worker', ['worker'])
    await machineConfig(client, '00-a', 'worker', motd('a'))
    running = runRender(client, { windowMs: 300 })
    await isRendered('worker')
    const first = await target(client, 'worker')
    for (const i of [1, 2, 3, 4]) {
      await machineConfig(client, `1${i}-more`, 'worker', { kernelArguments: [`arg-${i}`] })
    }
    await isRendered('worker', first)
    await until('all four are in', async () => {
      const { spec } = await renderedOf('worker')
      return spec?.kernelArguments?.length === 4
    })
    const rendered = await namesOf(client, 'rendered-')
    // On a busy machine the window may close between two changes, but never between all.
    expect(rendered.length).toBeLessThan(4)
  })

  describe('the Updated condition', () => {
    const updated = (): Promise<Condition | undefined> => poolCondition(client, 'worker', 'Updated')
    const isPending = (text: string): Promise<void> =>
      until(`Updated is pending because of ${text}`, async () => {
        const { status, reason, message = '' } = (await updated()) ?? {}
        return status === 'False' && reason === 'RenderPending' && message.includes(text)
      })
    /** A rendered pool with Updated=True, as the rollout controller sets it. */
    const updatedPool = async (windowMs: number): Promise<string> => {
      await controllerConfig(client)
      await pool(client, 'worker', ['worker'])
      await machineConfig(client, '00-a', 'worker', motd('a'))
      running = runRender(client, { windowMs })
      await isRendered('worker')
      const { status } = await client.get(machineConfigPools, { name: 'worker' })
      const report = { type: 'Updated', status: 'True' as const, reason: '', message: 'all' }
      const conditions = setCondition(status?.conditions, report, '2026-01-01T00:00:00Z')
      const patch = mergePatch({ status: { conditions } })
      await client.patch(machineConfigPools, { name: 'worker' }, patch, { subresource: 'status' })
      return (await target(client, 'worker'))!
    }
    const forever = 86_400_000

    it('is False as soon as an input differs, during the batch window', async () => {
      const first = await updatedPool(forever)
      await machineConfig(client, '60-audit', 'worker', { kernelArguments: ['audit=1'] })
      await isPending('MachineConfig 60-audit')
      expect(await target(client, 'worker')).toBe(first)
    })

    it('is False for a KubeletConfig without a MachineConfig', async () => {
      await updatedPool(forever)
      await client.create(kubeletConfigs, {
        metadata: { name: 'more-pods' },
        spec: { machineConfigPoolSelector: { matchLabels: { pool: 'worker' } } },
      })
      await isPending('KubeletConfig more-pods')
      expect((await renderDegraded('worker'))?.status).toBe('False')
    })

    it('does not change if inputs change without other contents', async () => {
      await updatedPool(0)
      await patch('00-a', { metadata: { annotations: { mine: 'x' } } })
      await machineConfig(client, '10-empty', 'worker', {})
      await machineConfig(client, '10-master', 'master', motd('master'))
      await until('10-empty is an input', async () => {
        const { spec } = await client.get(machineConfigPools, { name: 'worker' })
        return spec.configuration?.source?.length === 2
      })
      expect(await updated()).toMatchObject({ status: 'True', message: 'all' })
    })

    it('is False while a MachineConfig is invalid, and left to the rollout controller afterwards', async () => {
      const first = await updatedPool(0)
      await machineConfig(client, '50-bad', 'worker', {
        config: { ignition: { version: '3.2.0' }, storage: { files: [{ path: 'relative' }] } },
      })
      await isBlocked('worker', 'BadMachineConfig')
      await isPending('MachineConfig 50-bad')
      await client.remove(machineConfigs, { name: '50-bad' })
      await until(
        'the rollout controller decides',
        async () => (await updated())?.reason === 'Rendered',
      )
      expect(await updated()).toMatchObject({ status: 'False' })
      expect(await target(client, 'worker')).toBe(first)
    })
  })

  it('repairs a changed rendered config, and recreates a deleted one', async () => {
    await controllerConfig(client)
    await pool(client, 'worker', ['worker'])
    await machineConfig(client, '00-a', 'worker', motd('a'))
    running = runRender(client)
    await isRendered('worker')
    const { name } = (await renderedOf('worker')).metadata
    await patch(name, { spec: { kernelArguments: ['evil'] } })
    await until('it is repaired', async () => {
      const { spec } = await client.get(machineConfigs, { name })
      return spec?.kernelArguments?.length === 0
    })
    await patch(name, {
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

  it('reports what it waits for, and continues when it exists', async () => {
    await pool(client, 'worker', ['worker'])
    await machineConfig(client, '00-a', 'worker', motd('a'))
    running = runRender(client)
    await isBlocked('worker', 'ControllerConfigMissing')
    await controllerConfig(client, { version: '0.9.0', done: false })
    await isBlocked('worker', 'ControllerConfigVersion')
    expect(await renderDegraded('worker')).toMatchObject({
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
    await isBlocked('worker', 'TemplatesNotDone')
    await templatesDone(
      client,
      (await client.get(controllerConfigs, theControllerConfig)).metadata.generation!,
    )
    await isRendered('worker')
    expect((await renderDegraded('worker'))?.message).toBe('')

    await client.create(kubeletConfigs, {
      metadata: { name: 'more-pods' },
      spec: { machineConfigPoolSelector: { matchLabels: { pool: 'worker' } } },
    })
    await isBlocked('worker', 'SettingsNotDone')
    expect((await renderDegraded('worker'))?.message).toContain('KubeletConfig more-pods')
    await client.remove(kubeletConfigs, { name: 'more-pods' })
    await isRendered('worker')
  })

  it('names an invalid MachineConfig and keeps the old target', async () => {
    await controllerConfig(client)
    await pool(client, 'worker', ['worker'])
    await machineConfig(client, '00-a', 'worker', motd('a'))
    running = runRender(client)
    await isRendered('worker')
    const good = await target(client, 'worker')
    await machineConfig(client, '50-bad', 'worker', {
      config: { ignition: { version: '3.2.0' }, storage: { files: [{ path: 'relative' }] } },
    })
    await isBlocked('worker', 'BadMachineConfig')
    expect(await renderDegraded('worker')).toMatchObject({
      status: 'True',
      message:
        'Failed to render configuration for pool worker: MachineConfig 50-bad: invalid Ignition config found in 50-bad: $.storage.files[0].path ("relative") must be an absolute path that starts with "/"',
    })
    expect(await target(client, 'worker')).toBe(good)
    await client.remove(machineConfigs, { name: '50-bad' })
    await isRendered('worker')

    await machineConfig(client, '60-disks', 'worker', {
      config: { ignition: { version: '3.2.0' }, storage: { disks: [{ device: '/dev/sdb' }] } },
    })
    await isBlocked('worker', 'NotReconcilable')
    expect((await renderDegraded('worker'))?.message).toBe(
      `Failed to render configuration for pool worker: nodes in ${good} cannot apply the new config: ignition disks section contains changes: disks are partitioned only on first boot (from 60-disks)`,
    )
    expect(await target(client, 'worker')).toBe(good)
  })

  it('keeps configs in use and the newest ones, and deletes the others', async () => {
    await controllerConfig(client)
    await pool(client, 'worker', ['worker'])
    await machineConfig(client, '00-a', 'worker', motd('0'))
    running = runRender(client, { keep: 2 })
    await isRendered('worker')
    const all: string[] = [(await target(client, 'worker'))!]
    await client.create(nodes, {
      metadata: {
        name: 'node-1',
        annotations: { 'machineconfiguration.openshift.io/currentConfig': all[0]! },
      },
    })
    for (const i of [1, 2, 3, 4]) {
      await patch('00-a', { spec: motd(`${i}`) })
      await isRendered('worker', all.at(-1))
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
    running = runRender(client)
    await isRendered('infra')
    const unused = (await target(client, 'infra'))!
    await patch('00-a', { spec: motd('1') })
    await isRendered('infra', unused)
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
    running = runRender(client)
    await isRendered('worker')
    const name = (await target(client, 'worker'))!
    await client.create(nodes, {
      metadata: {
        name: 'node-1',
        annotations: { 'machineconfiguration.openshift.io/currentConfig': name },
      },
    })
    await patch('00-a', { spec: motd('1') })
    await isRendered('worker', name)
    await client.remove(machineConfigs, { name })
    // A later reconcile of another pool proves that the deletion was processed.
    await pool(client, 'other', ['other'])
    await isBlocked('other', 'NoMachineConfigs')
    const { metadata } = await client.get(machineConfigs, { name })
    expect(metadata.deletionTimestamp).toBeDefined()
    await client.remove(nodes, { name: 'node-1' })
    await isGone(client, name)
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
    running = runRender(client)
    await isRendered('worker')
    const seen = async (): Promise<MachineConfigPool> =>
      client.get(machineConfigPools, { name: 'worker' })
    const { metadata, status } = await seen()
    expect(status?.machineCount).toBe(3)
    expect(status?.conditions?.[0]).toEqual(foreign)
    expect(status?.conditions).toHaveLength(2)
    // A reconcile of this pool, and a later one of another pool that proves it.
    await patch('00-a', { metadata: { annotations: { mine: 'x' } } })
    await pool(client, 'other', ['other'])
    await isBlocked('other', 'NoMachineConfigs')
    expect((await seen()).metadata.resourceVersion).toBe(metadata.resourceVersion)
  })

  it('reports a key that Ignition ignores before any node changes', async () => {
    await controllerConfig(client)
    await pool(client, 'worker', ['worker'])
    await machineConfig(client, '00-a', 'worker', motd('a'))
    running = runRender(client)
    await isRendered('worker')
    const first = await target(client, 'worker')
    const hello = { path: '/etc/hello', contents: { inline: 'hello' } }
    await machineConfig(client, '99-hello', 'worker', {
      config: { ignition: { version: '3.2.0' }, storage: { files: [hello] } },
    })
    await isBlocked('worker', 'BadMachineConfig')
    expect(await target(client, 'worker')).toBe(first)
    await running.events.flush()
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
    running = runRender(client)
    await isBlocked('all', 'SelectingAll')
    expect(await target(client, 'all')).toBeUndefined()
  })
}
