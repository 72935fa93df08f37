import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Condition } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import { ignoreNotFound } from '@machinist/kube/failure'
import { mergePatch } from '@machinist/kube/patch'
import { removeAll } from '@machinist/testing/clusters/remove-all'
import { until } from '@machinist/testing/until'
import {
  containerRuntimeConfigs,
  machineConfigPools,
  machineConfigs,
} from '../../../../src/api/kinds/resources.ts'
import { filesSpec } from '../../../../src/controllers/generated/files-spec.ts'
import { installDefinitions } from '../../../../src/api/definitions/definitions.fixture.ts'
import type { RunningControllers } from '../../../support/running-controllers.ts'
import { runRender } from '../render/run-render.ts'
import { controllerConfig, machineConfig, motd } from '../support/cluster-objects.ts'
import * as configs from '../support/machine-configs.ts'
import { untilEvent } from '../support/reported.ts'
import { setContainerRuntime } from '../support/settings-controllers.ts'
import {
  createPoolsAndBase,
  createRuntimeConfig,
  linesIn,
  runRuntimeConfig,
} from './running-controller.ts'

const suffix = 'machineconfiguration.openshift.io/mc-name-suffix'
const generatedBy = 'machineconfiguration.openshift.io/generated-by-controller-version'
const first = '99-worker-generated-containerruntime'
const second = '99-worker-generated-containerruntime-1'
const pids = '/etc/crio/crio.conf.d/01-ctrcfg-pidsLimit'
const logLevel = '/etc/crio/crio.conf.d/01-ctrcfg-logLevel'
const storageConf = '/etc/containers/storage.conf'

/** Runs on the embedded API server and on a real one. */
export function runtimeConfigCases(client: KubeClient): void {
  let running: RunningControllers

  beforeAll(async () => {
    await installDefinitions(client)
    await controllerConfig(client)
  })
  beforeEach(async () => {
    await createPoolsAndBase(client)
    running = runRuntimeConfig(client)
  })
  afterEach(async () => {
    await running.stop()
    await removeAll(client, [containerRuntimeConfigs, machineConfigs, machineConfigPools])
  })

  const lastCondition = async (name: string): Promise<string> => {
    const { metadata, status } = await client.get(containerRuntimeConfigs, { name })
    const { type, message } = status?.conditions?.at(-1) ?? {}
    const isNew = status?.observedGeneration === metadata.generation
    return isNew ? `${type}: ${message}` : ''
  }
  const expectCondition = (name: string, text: string): Promise<void> =>
    until(`${name} says ${text}`, async () => (await lastCondition(name)).startsWith(text))
  const expectLine = (name: string, path: string, line: string | undefined): Promise<void> =>
    until(`${path} in ${name} is ${line}`, async () => {
      return (await linesIn(client, name, path)).at(-1) === line
    })
  const change = (name: string, body: object): Promise<unknown> =>
    client.patch(containerRuntimeConfigs, { name }, mergePatch(body))
  const isGone = (name: string): Promise<void> => configs.isGone(client, name)

  it('an object becomes a MachineConfig of its pool, which is deleted with the object', async () => {
    const { metadata } = await createRuntimeConfig(client, 'a', 'worker', {
      pidsLimit: 2048,
      overlaySize: '10G',
    })
    await change('a', { metadata: { annotations: { mine: 'stays' } } })
    await expectCondition('a', 'Success: Success')
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
      return (
        (await ignoreNotFound(client.get(containerRuntimeConfigs, { name: 'a' }))) === undefined
      )
    })
  })

  it('a second object extends the first, which reports the overridden fields', async () => {
    await createRuntimeConfig(client, 'a', 'worker', { pidsLimit: 100, logLevel: 'debug' })
    await expectCondition('a', 'Success')
    await createRuntimeConfig(client, 'b', 'worker', { pidsLimit: 200 })
    await expectCondition('b', 'Success')
    await expectLine(second, pids, 'pids_limit = 200')
    await expectLine(second, logLevel, 'log_level = "debug"')
    await expectLine(first, pids, 'pids_limit = 100')
    const overridden = async (): Promise<Condition | undefined> => {
      const { status } = await client.get(containerRuntimeConfigs, { name: 'a' })
      return status?.conditions?.find(({ type }) => type === 'machinist.dev/Overridden')
    }
    await until('the condition is set', async () => (await overridden()) !== undefined)
    expect(await overridden()).toMatchObject({
      status: 'True',
      reason: 'FieldsOverridden',
      message:
        'pool worker: ContainerRuntimeConfig b overrides pidsLimit: 100 with 200; set it in one object only',
    })
    await client.remove(containerRuntimeConfigs, { name: 'a' })
    await isGone(first)
    await expectLine(second, logLevel, undefined)
  })

  it('a custom pool inherits the settings of workers', async () => {
    await createRuntimeConfig(client, 'workers', 'worker', { pidsLimit: 100, logLevel: 'debug' })
    await createRuntimeConfig(client, 'own', 'infra', { pidsLimit: 200 })
    await expectCondition('own', 'Success')
    const own = '99-infra-generated-containerruntime'
    await expectLine(own, logLevel, 'log_level = "debug"')
    await expectLine(own, pids, 'pids_limit = 200')
    await change('workers', { spec: { containerRuntimeConfig: { logLevel: 'trace' } } })
    await expectLine(own, logLevel, 'log_level = "trace"')
    expect(await linesIn(client, own, pids)).toEqual(['[crio.runtime]', 'pids_limit = 200'])
  })

  it('an invalid object is reported, and others still apply', async () => {
    await createRuntimeConfig(client, 'bad', 'worker', { pidsLimit: 10 })
    await createRuntimeConfig(client, 'good', 'worker', { logLevel: 'debug' })
    await expectCondition('bad', 'Failure: Error: pool worker: invalid pidsLimit 10')
    await expectCondition('good', 'Success')
    await untilEvent(client, { reason: 'SettingsFailed', text: 'invalid pidsLimit 10' })
    await change('bad', { spec: { containerRuntimeConfig: { pidsLimit: 50 } } })
    await expectCondition('bad', 'Success')
    const { status } = await client.get(containerRuntimeConfigs, { name: 'bad' })
    expect(status?.conditions).toHaveLength(1)
  })

  it('a pool is selected when it gets the labels, and deselected when it loses them', async () => {
    await createRuntimeConfig(client, 'a', 'late', { pidsLimit: 100 })
    await expectCondition('a', 'Failure: Error: could not find any MachineConfigPool set for')
    const label = (pool: string): Promise<unknown> =>
      client.patch(
        machineConfigPools,
        { name: 'infra' },
        mergePatch({ metadata: { labels: { pool } } }),
      )
    await label('late')
    await expectCondition('a', 'Success')
    await expectLine('99-infra-generated-containerruntime', pids, 'pids_limit = 100')
    await label('infra')
    await isGone('99-infra-generated-containerruntime')
    await expectCondition('a', 'Failure')
    const { metadata } = await client.get(containerRuntimeConfigs, { name: 'a' })
    expect(metadata.finalizers ?? []).toEqual([])
  })

  it('a MachineConfig follows its base, and is repaired when another writer changes it', async () => {
    await createRuntimeConfig(client, 'a', 'worker', { overlaySize: '8Gi' })
    await expectLine(first, storageConf, 'size = "8589934592"')
    const spec = filesSpec([{ path: storageConf, text: '[storage]\ndriver = "btrfs"\n' }])
    await client.patch(machineConfigs, { name: '00-worker' }, mergePatch({ spec }))
    await until('the driver is btrfs', async () => {
      return (await linesIn(client, first, storageConf)).includes('driver = "btrfs"')
    })
    const before = await client.get(machineConfigs, { name: first })
    await client.remove(machineConfigs, { name: first })
    await expectLine(first, storageConf, 'size = "8589934592"')
    expect((await client.get(machineConfigs, { name: first })).spec).toEqual(before.spec)
  })

  it("a user's MachineConfig of the same name is kept", async () => {
    const theirs = motd('theirs')
    await machineConfig(client, first, 'worker', theirs)
    await createRuntimeConfig(client, 'a', 'worker', { pidsLimit: 100 })
    await expectCondition(
      'a',
      `Failure: Error: pool worker: MachineConfig ${first} was not generated by a controller`,
    )
    expect((await client.get(machineConfigs, { name: first })).spec).toEqual(theirs)
    await client.remove(machineConfigs, { name: first })
    await expectCondition('a', 'Success')
  })

  it('the object reports that containerd ignores it', async () => {
    await setContainerRuntime(client, 'containerd')
    await createRuntimeConfig(client, 'a', 'worker', { pidsLimit: 100 })
    await expectCondition('a', 'Failure')
    expect(await lastCondition('a')).toContain('nodes run containers with containerd')
    expect(await ignoreNotFound(client.get(machineConfigs, { name: first }))).toBeUndefined()
    await setContainerRuntime(client, null)
    await expectCondition('a', 'Success')
  })

  it('settings are rendered when the object reports success', async () => {
    const renderer = runRender(client)
    try {
      await createRuntimeConfig(client, 'a', 'worker', { pidsLimit: 100 })
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
