import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import type { MachineConfigPool } from '../../../src/api/resources.ts'
import * as api from '../../../src/api/resources.ts'
import type { Resource } from '../../../src/base/resource.ts'
import type { KubeClient } from '../../../src/kube/client.ts'
import { nodes } from '../../../src/kube/kinds/core.ts'
import { mergePatch } from '../../../src/kube/patch.ts'
import { until } from '../../support/until.ts'
import { controllerConfig, installDefinitions } from '../render/world.ts'
import type { Running } from './running.ts'
import { runPinnedImagesControllers } from './running.ts'

export interface Reached {
  readonly client: KubeClient
  stop(): Promise<void>
}

const role = 'machineconfiguration.openshift.io/role'
const domain = 'machineconfiguration.openshift.io'
const image = (letter: string): string => `quay.io/team/${letter}@sha256:${letter.repeat(64)}`
const config = { name: 'machine-config-controller' }
const places: readonly Resource[] = [
  api.machineConfigPools,
  api.pinnedImageSets,
  nodes,
  api.machineConfigNodes,
]
const nobody = { machineCount: 0, updatedMachineCount: 0, readyMachineCount: 0 }

/** The same on every API server. */
export function pinnedImagesCases(reach: () => Promise<Reached>): void {
  let reached: Reached
  let client: KubeClient
  let running: Running | undefined

  beforeAll(async () => {
    reached = await reach()
    client = reached.client
    await installDefinitions(client)
    await controllerConfig(client)
  })
  afterEach(async () => {
    await running?.stop()
    for (const place of places) {
      for await (const { metadata } of client.listAll(place)) {
        await client.remove(place, { name: metadata.name })
      }
    }
    const annotations = { 'machinist.dev/pinned-images': null }
    await client.patch(api.controllerConfigs, config, mergePatch({ metadata: { annotations } }))
  })
  afterAll(() => reached.stop())

  const run = (): void => {
    running = runPinnedImagesControllers(client)
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
    const { metadata } = await client.get(api.controllerConfigs, config)
    const said = metadata.annotations?.['machinist.dev/pinned-images']
    return said === undefined ? undefined : (JSON.parse(said) as Record<string, string>)
  }
  const announced = (...pools: string[]): Promise<void> =>
    until(
      `told of ${pools.join() || 'nobody'}`,
      async () => Object.keys((await digests()) ?? {}).join() === pools.join(),
    )
  const degraded = async (name: string): Promise<string | undefined> =>
    (await get(name)).status?.conditions?.find(({ type }) => type === 'PinnedImageSetsDegraded')
      ?.status
  const counts = (name: string, wanted: object): Promise<void> =>
    until(`pool ${name} counts ${JSON.stringify(wanted)}`, async () => {
      const [found] = (await get(name)).status?.poolSynchronizersStatus ?? []
      return (
        found !== undefined &&
        Object.entries({ ...found, ...wanted }).every(
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
    await announced('infra', 'worker')
    await until('nothing is wrong', async () => (await degraded('master')) === 'False')
    expect((await get('master')).spec.pinnedImageSets).toBeUndefined()
    expect((await get('master')).status?.poolSynchronizersStatus).toBeUndefined()
    await client.remove(api.pinnedImageSets, { name: 'b' })
    await lists('worker', 'a')
    const labels = { [role]: 'elsewhere' }
    await client.patch(api.pinnedImageSets, { name: 'a' }, mergePatch({ metadata: { labels } }))
    await lists('worker')
    await lists('infra', 'i')
    await announced('infra')
    await until(
      'counts are gone',
      async () => (await get('worker')).status?.poolSynchronizersStatus === undefined,
    )
  })

  it('puts a list right that somebody changed, and one that was there before it', async () => {
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
    await until('nothing is wrong', async () => (await degraded('worker')) === 'False')
    expect((await get('worker')).spec.pinnedImageSets).toBeUndefined()
  })

  it('tells nodes of other images, and of nothing else', async () => {
    await pool('worker', 'worker')
    await set('a', 'worker', 'a')
    run()
    await announced('worker')
    const first = (await digests())!['worker']
    const spec = { pinnedImages: [{ name: image('a') }, { name: image('b') }] }
    await client.patch(api.pinnedImageSets, { name: 'a' }, mergePatch({ spec }))
    await until('another digest', async () => (await digests())!['worker'] !== first)
    const second = (await digests())!['worker']
    await client.patch(
      api.pinnedImageSets,
      { name: 'a' },
      mergePatch({ metadata: { labels: { x: 'y' } } }),
    )
    await set('other', 'nobody', 'c')
    // Made anew, it is another one, whatever its generation.
    await client.remove(api.pinnedImageSets, { name: 'a' })
    await announced()
    await set('a', 'worker', 'a')
    await announced('worker')
    expect([first, second]).not.toContain((await digests())!['worker'])
    // Somebody takes the word away.
    const annotations = { 'machinist.dev/pinned-images': null }
    await client.patch(api.controllerConfigs, config, mergePatch({ metadata: { annotations } }))
    await announced('worker')
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
    const says = async (name: string, ...sets: object[]): Promise<void> => {
      const patch = mergePatch({ status: { pinnedImageSets: sets } })
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
    await says('n1', has(1))
    await says('n3', has(1))
    await says('n2', {
      name: 'a',
      desiredGeneration: 1,
      lastFailedGeneration: 1,
      lastFailedGenerationError: 'no',
    })
    await counts('worker', { updatedMachineCount: 2, readyMachineCount: 1 })
    const metric = (state: string): string =>
      `machinist_pinned_images_nodes_behind{pool="worker",state="${state}"} 1\n`
    await until('a number tells it', () => running!.metrics.text().includes(metric('failed')))
    // Of the next images, nobody has said anything yet.
    const spec = { pinnedImages: [{ name: image('b') }] }
    await client.patch(api.pinnedImageSets, { name: 'a' }, mergePatch({ spec }))
    await counts('worker', { machineCount: 3, updatedMachineCount: 0 })
    await says('n2', has(2))
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
    for (const name of ['n1', 'n2', 'n3']) await client.remove(nodes, { name })
    await counts('worker', nobody)
  })
}
