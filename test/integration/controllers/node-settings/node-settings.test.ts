import { describe, expect, it } from 'vitest'
import {
  containerRuntimeConfigs,
  controllerConfigs,
  machineConfigPools,
  machineConfigs,
} from '../../../../src/api/resources.ts'
import { showStatus } from '../../../../src/controllers/node-settings/status.ts'
import { mergePatch } from '@machinist/kube/patch'
import { badWord, ModelWorld } from './world.ts'

const suffix = 'machineconfiguration.openshift.io/mc-name-suffix'
const theirs = 'example.com/theirs'

async function started(): Promise<ModelWorld> {
  const world = new ModelWorld()
  await world.begin(['infra', 'master', 'worker'])
  return world
}

async function create(
  { client, clock }: ModelWorld,
  name: string,
  label: string,
  word: number,
): Promise<void> {
  await clock.advance(1000)
  await client.create(containerRuntimeConfigs, {
    metadata: { name, annotations: { theirs: 'too' }, finalizers: [theirs] },
    spec: {
      machineConfigPoolSelector: { matchLabels: { [label]: '' } },
      containerRuntimeConfig: { pidsLimit: word },
    },
  })
}

const patch = ({ client }: ModelWorld, name: string, body: object): Promise<unknown> =>
  client.patch(containerRuntimeConfigs, { name }, mergePatch(body))

/** All that is in the cluster of an object and what was made, without what differs each time. */
const picture = (world: ModelWorld): unknown => ({
  objects: world.objects().map(({ metadata: { name, annotations, finalizers }, spec, status }) => ({
    name,
    annotations,
    finalizers,
    spec,
    conditions: status?.conditions?.map(({ type, message }) => `${type}: ${message}`),
  })),
  made: world
    .machineConfigs()
    .map(({ metadata: { name, labels }, spec }) => ({ name, labels, spec }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
})
const made = (world: ModelWorld): string[] =>
  world
    .machineConfigs()
    .map(({ metadata }) => metadata.name)
    .filter((name) => name.startsWith('99-'))
    .toSorted()
const last = (world: ModelWorld, name: string): string => {
  const { status } = world.objects().find(({ metadata }) => metadata.name === name)!
  const { type, message } = status?.conditions?.at(-1) ?? {}
  return `${type}: ${message}`
}

/** The same story, with the controller killed at one of its writes. */
async function everyDeath(
  tell: (world: ModelWorld, pass: (name: string) => Promise<void>) => Promise<void>,
): Promise<unknown[]> {
  const pictures: unknown[] = []
  for (let writes = 0; ; writes++) {
    const world = await started()
    let left = writes
    let died = false
    await tell(world, async (name) => {
      const before = world.api.version
      const ended = await world.reconcile(name, died ? {} : { writes: left })
      left -= world.api.version - before
      if (!ended && !died) {
        died = true
        await world.reconcile(name)
      }
    })
    await world.settle()
    pictures.push(picture(world))
    if (!died) return pictures
  }
}

describe('a controller of settings that dies', () => {
  it('leaves nothing behind when an object is made', async () => {
    const pictures = await everyDeath(async (world, pass) => {
      await create(world, 'a', 'all', 1)
      await pass('a')
    })
    // Names first, then three MachineConfigs, then the status; and once it lived.
    expect(pictures).toHaveLength(6)
    expect(pictures[0]).toEqual({
      objects: [
        expect.objectContaining({
          name: 'a',
          annotations: { theirs: 'too', [suffix]: '' },
          finalizers: [
            theirs,
            '99-infra-generated-word',
            '99-master-generated-word',
            '99-worker-generated-word',
          ],
          conditions: ['Success: Success'],
        }),
      ],
      made: expect.any(Array),
    })
    for (const one of pictures) expect(one).toEqual(pictures[0])
  })

  it('nor when one is deleted', async () => {
    const pictures = await everyDeath(async (world, pass) => {
      await create(world, 'a', 'all', 1)
      await world.settle()
      await world.client.remove(containerRuntimeConfigs, { name: 'a' })
      await pass('a')
      expect(world.objects()[0]?.metadata.finalizers).toEqual([theirs])
      expect(made(world)).toEqual([])
      await patch(world, 'a', { metadata: { finalizers: null } })
    })
    expect(pictures).toHaveLength(5)
    for (const one of pictures) expect(one).toEqual(pictures[0])
  })
})

describe('a controller of settings', () => {
  it('takes away what a pool has that is no longer selected, also where no cache has seen it', async () => {
    const world = await started()
    await create(world, 'a', 'worker', 1)
    world.remember()
    await world.reconcile('a')
    expect(made(world)).toEqual(['99-worker-generated-word'])
    const spec = { machineConfigPoolSelector: { matchLabels: { worker: null, master: '' } } }
    await patch(world, 'a', { spec })
    await world.reconcile('a', { behind: ['MachineConfig'] })
    expect(made(world)).toEqual(['99-master-generated-word'])
    expect(world.objects()[0]?.metadata.finalizers).toEqual([theirs, '99-master-generated-word'])
  })

  it('gives names by the newest state, whatever its cache shows', async () => {
    const world = await started()
    await create(world, 'b', 'worker', 1)
    await create(world, 'a', 'worker', 2)
    world.remember()
    await patch(world, 'b', { metadata: { annotations: { [suffix]: '4' } } })
    await world.reconcile('a', { behind: ['ContainerRuntimeConfig'] })
    expect(made(world)).toEqual(['99-worker-generated-word-5'])
  })

  it('tells of a failure once, and of its end', async () => {
    const world = await started()
    await create(world, 'a', 'worker', badWord)
    await world.settle()
    await world.settle()
    expect(last(world, 'a')).toBe('Failure: Error: pool worker: bad luck')
    expect(world.told).toEqual(['Warning SettingsFailed a: Error: pool worker: bad luck'])
    const series = 'machinist_settings_failing{kind="ContainerRuntimeConfig",name="a"}'
    expect(world.metrics.text()).toContain(`${series} 1`)
    await patch(world, 'a', { spec: { containerRuntimeConfig: { pidsLimit: 1 } } })
    await world.settle()
    expect(last(world, 'a')).toBe('Success: Success')
    expect(world.metrics.text()).toContain(`${series} 0`)
    await world.client.remove(containerRuntimeConfigs, { name: 'a' })
    await world.settle()
    expect(world.metrics.text()).not.toContain(series)
  })

  it('tells whose fields do not hold, and that they do again', async () => {
    const world = await started()
    await create(world, 'a', 'worker', 1)
    await create(world, 'b', 'worker', 2)
    await world.settle()
    const message = 'pool worker: word is 2 there, as ContainerRuntimeConfig b says, and not 1'
    expect(world.told).toEqual([`Normal FieldsOverridden a: ${message}`])
    const conditions = () => world.objects()[0]?.status?.conditions
    expect(conditions()).toMatchObject([
      { type: 'machinist.dev/Overridden', status: 'True', reason: 'FieldsOverridden', message },
      { type: 'Success', status: 'True' },
    ])
    await world.client.remove(containerRuntimeConfigs, { name: 'b' })
    await world.settle()
    expect(conditions()).toMatchObject([
      { type: 'machinist.dev/Overridden', status: 'False', reason: 'AsExpected' },
      { type: 'Success', status: 'True' },
    ])
    expect(made(world)).toEqual(['99-worker-generated-word'])
  })

  /** As before the templates were looked at, or after. */
  const templates = async ({ client }: ModelWorld, areDone: boolean): Promise<void> => {
    const key = { name: 'machine-config-controller' }
    const { status: done } = await client.get(controllerConfigs, key)
    const open = { ...done, conditions: [] }
    const completed = { type: 'TemplateControllerCompleted', status: 'True' }
    const status = areDone ? { ...done, conditions: [completed] } : open
    await client.patch(controllerConfigs, key, mergePatch({ status }), { subresource: 'status' })
  }
  const waiting = (status: string, message: string) => ({
    type: 'machinist.dev/Waiting',
    status,
    message,
  })

  it('waits for the templates, and says so once', async () => {
    const world = await started()
    await templates(world, false)
    await create(world, 'a', 'worker', 1)
    await world.settle()
    expect(made(world)).toEqual([])
    const status = () => world.objects()[0]?.status
    expect(status()).toEqual({
      conditions: [
        expect.objectContaining(waiting('True', 'pool worker: waits for the templates of worker')),
      ],
    })
    await world.clock.advance(60_000)
    const { version } = world.api
    await world.settle()
    expect(world.api.version).toBe(version)
    await templates(world, true)
    await world.settle()
    expect(status()).toMatchObject({
      observedGeneration: 1,
      conditions: [waiting('False', ''), { type: 'Success' }],
    })
  })

  it('tells nobody that waits with what it says already made', async () => {
    const world = await started()
    await create(world, 'a', 'worker', 1)
    await world.settle()
    await templates(world, false)
    const { version } = world.api
    await world.settle()
    expect(world.api.version).toBe(version)
    await patch(world, 'a', { spec: { containerRuntimeConfig: { pidsLimit: 2 } } })
    await world.settle()
    expect(world.objects()[0]?.status).toMatchObject({
      observedGeneration: 1,
      conditions: [
        waiting('True', 'pool worker: waits for the templates of worker'),
        { type: 'Success' },
      ],
    })
  })

  it('waits for the base of a pool, and goes on with the others', async () => {
    const world = await started()
    await world.client.remove(machineConfigs, { name: '00-master' })
    await create(world, 'a', 'all', 1)
    await world.settle()
    expect(made(world)).toEqual(['99-infra-generated-word', '99-worker-generated-word'])
    expect(last(world, 'a')).toBe(
      'machinist.dev/Waiting: pool master: waits for MachineConfig 00-master, which the templates of master make',
    )
    await world.client.create(machineConfigs, { metadata: { name: '00-master' } })
    await world.settle()
    expect(made(world)).toContain('99-master-generated-word')
    expect(last(world, 'a')).toBe('Success: Success')
  })

  it('leaves an object what was made of it elsewhere, and gives the next one the next name', async () => {
    const world = await started()
    const name = '99-worker-generated-word'
    const labels = { 'machineconfiguration.openshift.io/role': 'worker' }
    const generatedBy = 'machineconfiguration.openshift.io/generated-by-controller-version'
    const { metadata } = await world.client.create(machineConfigs, {
      metadata: { name, labels, annotations: { [generatedBy]: 'machinist-installer' } },
      spec: { config: { words: [1] } },
    })
    await create(world, 'installed', 'worker', 1)
    await patch(world, 'installed', { metadata: { finalizers: [name] } })
    await create(world, 'second', 'worker', 2)
    await world.reconcile('second')
    expect(made(world)).toEqual([name, `${name}-1`])
    await world.settle()
    expect(made(world)).toEqual([name, `${name}-1`])
    const [first, second] = world.objects()
    expect(first!.metadata).toMatchObject({ annotations: { [suffix]: '' }, finalizers: [name] })
    expect(second!.metadata.annotations).toMatchObject({ [suffix]: '1' })
    const kept = await world.client.get(machineConfigs, { name })
    expect(kept.metadata.uid).toBe(metadata.uid)
    expect(kept.metadata.ownerReferences).toMatchObject([{ name: 'installed' }])
    expect(last(world, 'installed')).toBe('Success: Success')
  })

  it('gives up what belongs to a pool that is gone', async () => {
    const world = await started()
    await create(world, 'a', 'all', 1)
    await world.settle()
    await world.client.remove(machineConfigPools, { name: 'infra' })
    await world.settle()
    expect(made(world)).toEqual(['99-master-generated-word', '99-worker-generated-word'])
  })
})

it('nothing is told to an object that was made anew under the same name', async () => {
  const world = await started()
  const key = { name: 'one' }
  await create(world, 'one', 'worker', 100)
  const old = await world.client.get(containerRuntimeConfigs, key)
  await patch(world, 'one', { metadata: { finalizers: null } })
  await world.client.remove(containerRuntimeConfigs, key)
  await create(world, 'one', 'worker', badWord)
  const { signal } = new AbortController()
  const kind = { resource: containerRuntimeConfigs, tellsAccepted: false }
  const verdict = { failures: [], waits: [], idle: [], overridden: [] }
  await showStatus(old, verdict, kind, { client: world.client, signal })
  expect((await world.client.get(containerRuntimeConfigs, key)).status).toBeUndefined()
})
