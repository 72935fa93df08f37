import { afterEach, beforeAll, expect, it } from 'vitest'
import type { KubeClient } from '@machinist/kube/client/client'
import { nodes } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { removeAll } from '@machinist/testing/clusters/remove-all'
import { until } from '@machinist/testing/until'
import type { MachineConfigPool } from '../../../../src/api/kinds/resources.ts'
import * as api from '../../../../src/api/kinds/resources.ts'
import { installDefinitions } from '../../../../src/api/definitions/definitions.fixture.ts'
import type { RunningControllers } from '../../../support/running-controllers.ts'
import { controllerConfig, theControllerConfig } from '../support/cluster-objects.ts'
import { runPinnedImagesControllers } from './running.ts'

const role = 'machineconfiguration.openshift.io/role'
const domain = 'machineconfiguration.openshift.io'
const image = (letter: string): string => `quay.io/team/${letter}@sha256:${letter.repeat(64)}`
const used = [api.machineConfigPools, api.pinnedImageSets, nodes, api.machineConfigNodes]
const noNodes = { machineCount: 0, updatedMachineCount: 0, readyMachineCount: 0 }

/** Runs on every API server. */
export function pinnedImagesCases(client: KubeClient): void {
  let running: RunningControllers

  beforeAll(async () => {
    await installDefinitions(client)
    await controllerConfig(client)
  })
  afterEach(async () => {
    await running.stop()
    await removeAll(client, used)
    await removeDigests()
  })

  const run = (): void => {
    running = runPinnedImagesControllers(client)
  }
  /** Removes the published digests. */
  const removeDigests = (): Promise<unknown> => {
    const patch = mergePatch({ metadata: { annotations: { 'machinist.dev/pinned-images': null } } })
    return client.patch(api.controllerConfigs, theControllerConfig, patch)
  }
  const pool = (name: string, ...roles: string[]): Promise<MachineConfigPool> =>
    client.create(api.machineConfigPools, {
      metadata: { name },
      spec: {
        machineConfigSelector: { matchExpressions: [{ key: role, operator: 'In', values: roles }] },
        nodeSelector: { matchLabels: { [`node-role.kubernetes.io/${name}`]: '' } },
      },
    })
  const set = (name: string, of: string, ...letters: string[]) =>
    client.create(api.pinnedImageSets, {
      metadata: { name, labels: { [role]: of } },
      spec: { pinnedImages: letters.map((letter) => ({ name: image(letter) })) },
    })
  const get = (name: string): Promise<MachineConfigPool> =>
    client.get(api.machineConfigPools, { name })
  const lists = (name: string, ...sets: string[]): Promise<void> =>
    until(`pool ${name} lists ${sets.join() || 'nothing'}`, async () => {
      const listed = (await get(name)).spec.pinnedImageSets
      return sets.length === 0
        ? listed === undefined
        : listed?.map((each) => each.name).join() === sets.join()
    })
  const digests = async (): Promise<Record<string, string> | undefined> => {
    const { metadata } = await client.get(api.controllerConfigs, theControllerConfig)
    const text = metadata.annotations?.['machinist.dev/pinned-images']
    return text === undefined ? undefined : (JSON.parse(text) as Record<string, string>)
  }
  const published = (...pools: string[]): Promise<void> =>
    until(
      `digests of ${pools.join() || 'no pool'}`,
      async () => Object.keys((await digests()) ?? {}).join() === pools.join(),
    )
  /** Makes a change and waits for another digest. */
  const withNewDigest = async (change: () => Promise<unknown>): Promise<void> => {
    const before = (await digests())?.['worker']
    await change()
    await until('another digest', async () => {
      const now = (await digests())?.['worker']
      return now !== undefined && now !== before
    })
  }
  const degraded = async (name: string): Promise<string | undefined> =>
    (await get(name)).status?.conditions?.find(({ type }) => type === 'PinnedImageSetsDegraded')
      ?.status
  const counts = (name: string, expected: object): Promise<void> =>
    until(`pool ${name} counts ${JSON.stringify(expected)}`, async () => {
      const [found] = (await get(name)).status?.poolSynchronizersStatus ?? []
      return (
        found !== undefined &&
        Object.entries({ ...found, ...expected }).every(
          ([field, value]) => found[field as keyof typeof found] === value,
        )
      )
    })

  it('lists the sets of every pool that selects them, by name', async () => {
    for (const each of [
      ['worker', 'worker'],
      ['infra', 'worker', 'infra'],
      ['master', 'master'],
    ]) {
      await pool(each[0]!, ...each.slice(1))
    }
    run()
    await set('b', 'worker', 'b')
    await lists('worker', 'b')
    await set('a', 'worker', 'a')
    await set('i', 'infra', 'c')
    await lists('worker', 'a', 'b')
    await lists('infra', 'a', 'b', 'i')
    await published('infra', 'worker')
    await until('the pool is not degraded', async () => (await degraded('master')) === 'False')
    expect((await get('master')).spec.pinnedImageSets).toBeUndefined()
    expect((await get('master')).status?.poolSynchronizersStatus).toBeUndefined()
    await client.remove(api.pinnedImageSets, { name: 'b' })
    await lists('worker', 'a')
    const labels = { [role]: 'elsewhere' }
    await client.patch(api.pinnedImageSets, { name: 'a' }, mergePatch({ metadata: { labels } }))
    await lists('worker')
    await lists('infra', 'i')
    await published('infra')
    await until(
      'the counts are removed',
      async () => (await get('worker')).status?.poolSynchronizersStatus === undefined,
    )
  })

  it('repairs a list that another writer changed, also before the start', async () => {
    await pool('worker', 'worker')
    await set('a', 'worker', 'a')
    const stale = { spec: { pinnedImageSets: [{ name: 'z' }] } }
    await client.patch(api.machineConfigPools, { name: 'worker' }, mergePatch(stale))
    run()
    await lists('worker', 'a')
    await client.patch(api.machineConfigPools, { name: 'worker' }, mergePatch(stale))
    await lists('worker', 'a')
    const selector = { spec: { machineConfigSelector: null } }
    await client.patch(api.machineConfigPools, { name: 'worker' }, mergePatch(selector))
    await lists('worker')
    await until('the pool is not degraded', async () => (await degraded('worker')) === 'False')
    expect((await get('worker')).spec.pinnedImageSets).toBeUndefined()
  })

  it('publishes a digest for changed images only', async () => {
    await pool('worker', 'worker')
    await set('a', 'worker', 'a')
    run()
    await published('worker')
    const first = (await digests())!['worker']
    const spec = { pinnedImages: [{ name: image('a') }, { name: image('b') }] }
    await withNewDigest(() =>
      client.patch(api.pinnedImageSets, { name: 'a' }, mergePatch({ spec })),
    )
    const second = (await digests())!['worker']
    await client.patch(
      api.pinnedImageSets,
      { name: 'a' },
      mergePatch({ metadata: { labels: { x: 'y' } } }),
    )
    await set('other', 'no-pool', 'c')
    // A recreated set differs, regardless of its generation.
    await client.remove(api.pinnedImageSets, { name: 'a' })
    await published()
    await set('a', 'worker', 'a')
    await published('worker')
    expect([first, second]).not.toContain((await digests())!['worker'])
    // Another writer removes the annotation.
    await removeDigests()
    await published('worker')
  })

  it('counts which nodes have all images', async () => {
    await pool('worker', 'worker')
    await set('a', 'worker', 'a')
    const node = async (name: string, unschedulable = false): Promise<void> => {
      const annotations = Object.fromEntries(
        [
          ['currentConfig', 'x'],
          ['desiredConfig', 'x'],
          ['state', 'Done'],
        ].map(([key, value]) => [`${domain}/${key}`, value!]),
      )
      const labels = { 'node-role.kubernetes.io/worker': '' }
      await client.create(nodes, {
        metadata: { name, labels, annotations },
        spec: { unschedulable },
      })
      await client.create(api.machineConfigNodes, {
        metadata: { name },
        spec: { node: { name }, pool: { name: 'worker' }, configVersion: { desired: 'x' } },
      })
    }
    /** Reports like a daemon that has processed the digest. */
    const report = async (name: string, ...sets: object[]): Promise<void> => {
      const message = (await digests())!['worker']
      const seen = { type: 'machinist.dev/PinnedImageSetsSeen', status: 'True', reason: 'Read' }
      const conditions = [{ ...seen, message, lastTransitionTime: '2026-01-01T00:00:00Z' }]
      const patch = mergePatch({ status: { conditions, pinnedImageSets: sets } })
      await client.patch(api.machineConfigNodes, { name }, patch, { subresource: 'status' })
    }
    const has = (generation: number) => ({
      name: 'a',
      desiredGeneration: generation,
      currentGeneration: generation,
    })
    await node('n1')
    await node('n2')
    await node('n3', true)
    run()
    await counts('worker', {
      machineCount: 3,
      updatedMachineCount: 0,
      readyMachineCount: 0,
      availableMachineCount: 2,
      unavailableMachineCount: 1,
    })
    await published('worker')
    await report('n1', has(1))
    await report('n3', has(1))
    await report('n2', {
      name: 'a',
      desiredGeneration: 1,
      lastFailedGeneration: 1,
      lastFailedGenerationError: 'no',
    })
    await counts('worker', { updatedMachineCount: 2, readyMachineCount: 1 })
    const metric = (state: string): string =>
      `machinist_pinned_images_nodes_behind{pool="worker",state="${state}"} 1\n`
    await until('the metric is set', () => running.metrics.text().includes(metric('failed')))
    // No node has reported the next images yet.
    const spec = { pinnedImages: [{ name: image('b') }] }
    await withNewDigest(() =>
      client.patch(api.pinnedImageSets, { name: 'a' }, mergePatch({ spec })),
    )
    await counts('worker', { machineCount: 3, updatedMachineCount: 0 })
    await report('n2', has(2))
    await counts('worker', { updatedMachineCount: 1, readyMachineCount: 1 })
    const { metadata, status } = await get('worker')
    expect(status?.poolSynchronizersStatus).toEqual([
      {
        poolSynchronizerType: 'PinnedImageSets',
        machineCount: 3,
        updatedMachineCount: 1,
        readyMachineCount: 1,
        availableMachineCount: 2,
        unavailableMachineCount: 1,
        observedGeneration: metadata.generation,
      },
    ])
    // Two nodes reported generation 1 of the former set with that name.
    await withNewDigest(async () => {
      await client.remove(api.pinnedImageSets, { name: 'a' })
      await set('a', 'worker', 'c')
    })
    await counts('worker', { machineCount: 3, updatedMachineCount: 0 })
    await report('n1', has(1))
    await counts('worker', { updatedMachineCount: 1 })
    // With an invalid selector the listed sets count.
    await running.stop()
    const selector = { matchExpressions: [{ key: role, operator: 'Near' }] }
    const odd = mergePatch({ spec: { machineConfigSelector: selector } })
    await client.patch(api.machineConfigPools, { name: 'worker' }, odd)
    run()
    await until('the pool is degraded', async () => (await degraded('worker')) === 'True')
    await counts('worker', { machineCount: 3, updatedMachineCount: 1 })
    for (const name of ['n1', 'n2', 'n3']) await client.remove(nodes, { name })
    await counts('worker', noNodes)
  })
}
