import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import {
  containerRuntimeConfigs,
  controllerConfigs,
  machineConfigPools,
  machineConfigs,
} from '../../../../src/api/resources.ts'
import type { Condition } from '@machinist/core/resource'
import { filesSpec } from '../../../../src/controllers/generated/files-spec.ts'
import type { KubeClient } from '@machinist/kube/client'
import { ifThere } from '@machinist/kube/failure'
import { mergePatch } from '@machinist/kube/patch'
import { installDefinitions } from '../../../../src/api/definitions.fixture.ts'
import { removeAll } from '@machinist/testing/remove-all'
import type { RunningControllers } from '../../../support/running-controllers.ts'
import { until } from '@machinist/testing/until'
import { runRender } from '../render/world.ts'
import {
  controllerConfig,
  machineConfig,
  motd,
  theControllerConfig,
} from '../support/cluster-objects.ts'
import * as configs from '../support/machine-configs.ts'
import { eventTells } from '../support/told.ts'
import { begin, create, linesIn, runRuntimeConfig } from './world.ts'

const suffix = 'machineconfiguration.openshift.io/mc-name-suffix'
const generatedBy = 'machineconfiguration.openshift.io/generated-by-controller-version'
const first = '99-worker-generated-containerruntime'
const second = '99-worker-generated-containerruntime-1'
const pids = '/etc/crio/crio.conf.d/01-ctrcfg-pidsLimit'
const logLevel = '/etc/crio/crio.conf.d/01-ctrcfg-logLevel'
const storageConf = '/etc/containers/storage.conf'

/** What ContainerRuntimeConfigs come to on a cluster; the same on the embedded API server and on a real one. */
export function runtimeConfigCases(client: KubeClient): void {
  let running: RunningControllers

  beforeAll(async () => {
    await installDefinitions(client)
    await controllerConfig(client)
  })
  beforeEach(async () => {
    await begin(client)
    running = runRuntimeConfig(client)
  })
  afterEach(async () => {
    await running.stop()
    await removeAll(client, [containerRuntimeConfigs, machineConfigs, machineConfigPools])
  })

  const said = async (name: string): Promise<string> => {
    const { metadata, status } = await client.get(containerRuntimeConfigs, { name })
    const { type, message } = status?.conditions?.at(-1) ?? {}
    const isNew = status?.observedGeneration === metadata.generation
    return isNew ? `${type}: ${message}` : ''
  }
  const says = (name: string, text: string): Promise<void> =>
    until(`${name} says ${text}`, async () => (await said(name)).startsWith(text))
  const holds = (name: string, path: string, line: string | undefined): Promise<void> =>
    until(`${path} in ${name} is ${line}`, async () => {
      return (await linesIn(client, name, path)).at(-1) === line
    })
  const change = (name: string, body: object): Promise<unknown> =>
    client.patch(containerRuntimeConfigs, { name }, mergePatch(body))
  const isGone = (name: string): Promise<void> => configs.isGone(client, name)

  it('one becomes a MachineConfig of its pool, and goes away with it', async () => {
    const { metadata } = await create(client, 'a', 'worker', {
      pidsLimit: 2048,
      overlaySize: '10G',
    })
    await change('a', { metadata: { annotations: { mine: 'stays' } } })
    await says('a', 'Success: Success')
    const made = await client.get(machineConfigs, { name: first })
    expect(made.metadata).toMatchObject({
      labels: { 'machineconfiguration.openshift.io/role': 'worker' },
      annotations: { [generatedBy]: 'machinist-1' },
      ownerReferences: [
        {
          apiVersion: 'machineconfiguration.openshift.io/v1',
          kind: 'ContainerRuntimeConfig',
          name: 'a',
          uid: metadata.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    })
    expect(await linesIn(client, first, pids)).toEqual(['[crio.runtime]', 'pids_limit = 2048'])
    expect(await linesIn(client, first, storageConf)).toEqual([
      '[storage]',
      'driver = "overlay"',
      '[storage.options]',
      'size = "10000000000"',
    ])
    const now = await client.get(containerRuntimeConfigs, { name: 'a' })
    expect(now.metadata.annotations).toEqual({ mine: 'stays', [suffix]: '' })
    expect(now.metadata.finalizers).toEqual([first])
    expect(now.status?.conditions).toHaveLength(1)

    await client.remove(containerRuntimeConfigs, { name: 'a' })
    await isGone(first)
    await until('the object is gone', async () => {
      return (await ifThere(client.get(containerRuntimeConfigs, { name: 'a' }))) === undefined
    })
  })

  it('a second one adds to the first, which is told what does not hold', async () => {
    await create(client, 'a', 'worker', { pidsLimit: 100, logLevel: 'debug' })
    await says('a', 'Success')
    await create(client, 'b', 'worker', { pidsLimit: 200 })
    await says('b', 'Success')
    await holds(second, pids, 'pids_limit = 200')
    await holds(second, logLevel, 'log_level = "debug"')
    await holds(first, pids, 'pids_limit = 100')
    const told = async (): Promise<Condition | undefined> => {
      const { status } = await client.get(containerRuntimeConfigs, { name: 'a' })
      return status?.conditions?.find(({ type }) => type === 'machinist.dev/Overridden')
    }
    await until('a is told', async () => (await told()) !== undefined)
    expect(await told()).toMatchObject({
      status: 'True',
      reason: 'FieldsOverridden',
      message: 'pool worker: pidsLimit is 200 there, as ContainerRuntimeConfig b says, and not 100',
    })
    await client.remove(containerRuntimeConfigs, { name: 'a' })
    await isGone(first)
    await holds(second, logLevel, undefined)
  })

  it('a custom pool begins with what holds for workers', async () => {
    await create(client, 'workers', 'worker', { pidsLimit: 100, logLevel: 'debug' })
    await create(client, 'own', 'infra', { pidsLimit: 200 })
    await says('own', 'Success')
    const own = '99-infra-generated-containerruntime'
    await holds(own, logLevel, 'log_level = "debug"')
    await holds(own, pids, 'pids_limit = 200')
    await change('workers', { spec: { containerRuntimeConfig: { logLevel: 'trace' } } })
    await holds(own, logLevel, 'log_level = "trace"')
    expect(await linesIn(client, own, pids)).toEqual(['[crio.runtime]', 'pids_limit = 200'])
  })

  it('what cannot be used is told, and the rest goes on', async () => {
    await create(client, 'bad', 'worker', { pidsLimit: 10 })
    await create(client, 'good', 'worker', { logLevel: 'debug' })
    await says('bad', 'Failure: Error: pool worker: invalid pidsLimit 10')
    await says('good', 'Success')
    await eventTells(client, { reason: 'SettingsFailed', text: 'invalid pidsLimit 10' })
    await change('bad', { spec: { containerRuntimeConfig: { pidsLimit: 50 } } })
    await says('bad', 'Success')
    const { status } = await client.get(containerRuntimeConfigs, { name: 'bad' })
    expect(status?.conditions).toHaveLength(1)
  })

  it('a pool that gets the labels later is found, and left when it loses them', async () => {
    await create(client, 'a', 'late', { pidsLimit: 100 })
    await says('a', 'Failure: Error: could not find any MachineConfigPool set for')
    const label = (pool: string): Promise<unknown> =>
      client.patch(
        machineConfigPools,
        { name: 'infra' },
        mergePatch({ metadata: { labels: { pool } } }),
      )
    await label('late')
    await says('a', 'Success')
    await holds('99-infra-generated-containerruntime', pids, 'pids_limit = 100')
    await label('infra')
    await isGone('99-infra-generated-containerruntime')
    await says('a', 'Failure')
    const { metadata } = await client.get(containerRuntimeConfigs, { name: 'a' })
    expect(metadata.finalizers ?? []).toEqual([])
  })

  it('follows its base, and mends what others change', async () => {
    await create(client, 'a', 'worker', { overlaySize: '8Gi' })
    await holds(first, storageConf, 'size = "8589934592"')
    const spec = filesSpec([{ path: storageConf, text: '[storage]\ndriver = "btrfs"\n' }])
    await client.patch(machineConfigs, { name: '00-worker' }, mergePatch({ spec }))
    await until('the driver is btrfs', async () => {
      return (await linesIn(client, first, storageConf)).includes('driver = "btrfs"')
    })
    const before = await client.get(machineConfigs, { name: first })
    await client.remove(machineConfigs, { name: first })
    await holds(first, storageConf, 'size = "8589934592"')
    expect((await client.get(machineConfigs, { name: first })).spec).toEqual(before.spec)
  })

  it('leaves alone what a user made under such a name', async () => {
    const theirs = motd('theirs')
    await machineConfig(client, first, 'worker', theirs)
    await create(client, 'a', 'worker', { pidsLimit: 100 })
    await says('a', `Failure: Error: pool worker: MachineConfig ${first} is not by a controller`)
    expect((await client.get(machineConfigs, { name: first })).spec).toEqual(theirs)
    await client.remove(machineConfigs, { name: first })
    await says('a', 'Success')
  })

  it('says that containerd reads nothing of it', async () => {
    const runtime = (text: string | null): Promise<unknown> => {
      const annotations = { 'machinist.dev/container-runtime': text }
      const patch = mergePatch({ metadata: { annotations } })
      return client.patch(controllerConfigs, theControllerConfig, patch)
    }
    await runtime('containerd')
    await create(client, 'a', 'worker', { pidsLimit: 100 })
    await says('a', 'Failure')
    expect(await said('a')).toContain('the containers of these nodes are run by containerd')
    expect(await ifThere(client.get(machineConfigs, { name: first }))).toBeUndefined()
    await runtime(null)
    await says('a', 'Success')
  })

  it('is rendered for the nodes as soon as it says that it is done', async () => {
    const renderer = runRender(client)
    try {
      await create(client, 'a', 'worker', { pidsLimit: 100 })
      const rendered = async (): Promise<string[]> => {
        const name = await configs.target(client, 'worker')
        return name === undefined ? [] : linesIn(client, name, pids)
      }
      await until('it is rendered', async () => (await rendered()).length > 0)
      expect(await rendered()).toEqual(['[crio.runtime]', 'pids_limit = 100'])
    } finally {
      await renderer.stop()
    }
  })
}
