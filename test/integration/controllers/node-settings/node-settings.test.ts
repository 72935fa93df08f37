import { describe, expect, it } from 'vitest'
import { mergePatch } from '@machinist/kube/patch'
import {
  containerRuntimeConfigs,
  controllerConfigs,
  machineConfigPools,
  machineConfigs,
} from '../../../../src/api/kinds/resources.ts'
import { reportStatus } from '../../../../src/controllers/node-settings/report.ts'
import { invalidValue, ModelCluster } from './running-controller.ts'

const suffix = 'machineconfiguration.openshift.io/mc-name-suffix'
const theirs = 'example.com/theirs'

async function started(): Promise<ModelCluster> {
  const cluster = new ModelCluster()
  await cluster.begin(['infra', 'master', 'worker'])
  return cluster
}

async function create(
  { client, clock }: ModelCluster,
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

const patch = ({ client }: ModelCluster, name: string, body: object): Promise<unknown> =>
  client.patch(containerRuntimeConfigs, { name }, mergePatch(body))

/** The objects and MachineConfigs of the cluster, without volatile fields. */
const snapshot = (cluster: ModelCluster): unknown => ({
  objects: cluster
    .objects()
    .map(({ metadata: { name, annotations, finalizers }, spec, status }) => ({
      name,
      annotations,
      finalizers,
      spec,
      conditions: status?.conditions?.map(({ type, message }) => `${type}: ${message}`),
    })),
  made: cluster
    .machineConfigs()
    .map(({ metadata: { name, labels }, spec }) => ({ name, labels, spec }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
})
const made = (cluster: ModelCluster): string[] =>
  cluster
    .machineConfigs()
    .map(({ metadata }) => metadata.name)
    .filter((name) => name.startsWith('99-'))
    .toSorted()
const last = (cluster: ModelCluster, name: string): string => {
  const { status } = cluster.objects().find(({ metadata }) => metadata.name === name)!
  const { type, message } = status?.conditions?.at(-1) ?? {}
  return `${type}: ${message}`
}

/** Runs the same scenario once for each write at which the controller can die. */
async function withEveryCrash(
  scenario: (cluster: ModelCluster, pass: (name: string) => Promise<void>) => Promise<void>,
): Promise<unknown[]> {
  const snapshots: unknown[] = []
  for (let writes = 0; ; writes++) {
    const cluster = await started()
    let left = writes
    let died = false
    await scenario(cluster, async (name) => {
      const before = cluster.api.version
      const ended = await cluster.reconcile(name, died ? {} : { writes: left })
      left -= cluster.api.version - before
      if (!ended && !died) {
        died = true
        await cluster.reconcile(name)
      }
    })
    await cluster.settle()
    snapshots.push(snapshot(cluster))
    if (!died) return snapshots
  }
}

describe('a node settings controller that crashes', () => {
  it('leaves a consistent state when an object is created', async () => {
    const snapshots = await withEveryCrash(async (cluster, pass) => {
      await create(cluster, 'a', 'all', 1)
      await pass('a')
    })
    // One crash for the metadata, three for MachineConfigs, one for the status; and one run without a crash.
    expect(snapshots).toHaveLength(6)
    expect(snapshots[0]).toEqual({
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
    for (const one of snapshots) expect(one).toEqual(snapshots[0])
  })

  it('leaves a consistent state when an object is deleted', async () => {
    const snapshots = await withEveryCrash(async (cluster, pass) => {
      await create(cluster, 'a', 'all', 1)
      await cluster.settle()
      await cluster.client.remove(containerRuntimeConfigs, { name: 'a' })
      await pass('a')
      expect(cluster.objects()[0]?.metadata.finalizers).toEqual([theirs])
      expect(made(cluster)).toEqual([])
      await patch(cluster, 'a', { metadata: { finalizers: null } })
    })
    expect(snapshots).toHaveLength(5)
    for (const one of snapshots) expect(one).toEqual(snapshots[0])
  })
})

describe('a node settings controller', () => {
  it('deletes the MachineConfig of a pool that is no longer selected, even if the cache does not have it', async () => {
    const cluster = await started()
    await create(cluster, 'a', 'worker', 1)
    cluster.remember()
    await cluster.reconcile('a')
    expect(made(cluster)).toEqual(['99-worker-generated-word'])
    const spec = { machineConfigPoolSelector: { matchLabels: { worker: null, master: '' } } }
    await patch(cluster, 'a', { spec })
    await cluster.reconcile('a', { behind: ['MachineConfig'] })
    expect(made(cluster)).toEqual(['99-master-generated-word'])
    expect(cluster.objects()[0]?.metadata.finalizers).toEqual([theirs, '99-master-generated-word'])
  })

  it('assigns suffixes based on the latest state, not on its cache', async () => {
    const cluster = await started()
    await create(cluster, 'b', 'worker', 1)
    await create(cluster, 'a', 'worker', 2)
    cluster.remember()
    await patch(cluster, 'b', { metadata: { annotations: { [suffix]: '4' } } })
    await cluster.reconcile('a', { behind: ['ContainerRuntimeConfig'] })
    expect(made(cluster)).toEqual(['99-worker-generated-word-5'])
  })

  it('reports a failure once, and its end', async () => {
    const cluster = await started()
    await create(cluster, 'a', 'worker', invalidValue)
    await cluster.settle()
    await cluster.settle()
    expect(last(cluster, 'a')).toBe('Failure: Error: pool worker: bad luck')
    expect(cluster.emitted).toEqual(['Warning SettingsFailed a: Error: pool worker: bad luck'])
    const series = 'machinist_settings_failing{kind="ContainerRuntimeConfig",name="a"}'
    expect(cluster.metrics.text()).toContain(`${series} 1`)
    await patch(cluster, 'a', { spec: { containerRuntimeConfig: { pidsLimit: 1 } } })
    await cluster.settle()
    expect(last(cluster, 'a')).toBe('Success: Success')
    expect(cluster.metrics.text()).toContain(`${series} 0`)
    await cluster.client.remove(containerRuntimeConfigs, { name: 'a' })
    await cluster.settle()
    expect(cluster.metrics.text()).not.toContain(series)
  })

  it('reports a failure of the settings even if a write fails, and no success', async () => {
    const cluster = await started()
    const series = 'machinist_settings_failing{kind="ContainerRuntimeConfig",name="a"}'
    await create(cluster, 'a', 'worker', 1)
    await cluster.reconcile('a', { writes: 1 })
    expect(cluster.metrics.text()).not.toContain(series)
    await cluster.settle()
    expect(cluster.metrics.text()).toContain(`${series} 0`)
    await patch(cluster, 'a', {
      spec: { machineConfigPoolSelector: { matchLabels: { worker: null, none: '' } } },
    })
    await cluster.reconcile('a', { writes: 0 })
    expect(cluster.metrics.text()).toContain(`${series} 1`)
    expect(cluster.emitted).toEqual([
      'Warning SettingsFailed a: Error: could not find any MachineConfigPool set for ContainerRuntimeConfig a; add the labels of spec.machineConfigPoolSelector to a pool, or change the selector',
    ])
  })

  it('reports overridden fields, and the end of it', async () => {
    const cluster = await started()
    await create(cluster, 'a', 'worker', 1)
    await create(cluster, 'b', 'worker', 2)
    await cluster.settle()
    const message =
      'pool worker: ContainerRuntimeConfig b overrides word: 1 with 2; set it in one object only'
    expect(cluster.emitted).toEqual([`Normal FieldsOverridden a: ${message}`])
    const conditions = () => cluster.objects()[0]?.status?.conditions
    expect(conditions()).toMatchObject([
      { type: 'machinist.dev/Overridden', status: 'True', reason: 'FieldsOverridden', message },
      { type: 'Success', status: 'True' },
    ])
    await cluster.client.remove(containerRuntimeConfigs, { name: 'b' })
    await cluster.settle()
    expect(conditions()).toMatchObject([
      { type: 'machinist.dev/Overridden', status: 'False', reason: 'AsExpected' },
      { type: 'Success', status: 'True' },
    ])
    expect(made(cluster)).toEqual(['99-worker-generated-word'])
  })

  /** Sets whether the templates are done. */
  const templates = async ({ client }: ModelCluster, areDone: boolean): Promise<void> => {
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

  it('waits for the templates, and reports it once', async () => {
    const cluster = await started()
    await templates(cluster, false)
    await create(cluster, 'a', 'worker', 1)
    await cluster.settle()
    expect(made(cluster)).toEqual([])
    const status = () => cluster.objects()[0]?.status
    expect(status()).toEqual({
      conditions: [
        expect.objectContaining(waiting('True', 'pool worker: waits for the worker templates')),
      ],
    })
    await cluster.clock.advance(60_000)
    const { version } = cluster.api
    await cluster.settle()
    expect(cluster.api.version).toBe(version)
    await templates(cluster, true)
    await cluster.settle()
    expect(status()).toMatchObject({
      observedGeneration: 1,
      conditions: [waiting('False', ''), { type: 'Success' }],
    })
  })

  it('does not report waiting for an object that is up to date', async () => {
    const cluster = await started()
    await create(cluster, 'a', 'worker', 1)
    await cluster.settle()
    await templates(cluster, false)
    const { version } = cluster.api
    await cluster.settle()
    expect(cluster.api.version).toBe(version)
    await patch(cluster, 'a', { spec: { containerRuntimeConfig: { pidsLimit: 2 } } })
    await cluster.settle()
    expect(cluster.objects()[0]?.status).toMatchObject({
      observedGeneration: 1,
      conditions: [
        waiting('True', 'pool worker: waits for the worker templates'),
        { type: 'Success' },
      ],
    })
  })

  it('waits for the base of a pool, and proceeds with others', async () => {
    const cluster = await started()
    await cluster.client.remove(machineConfigs, { name: '00-master' })
    await create(cluster, 'a', 'all', 1)
    await cluster.settle()
    expect(made(cluster)).toEqual(['99-infra-generated-word', '99-worker-generated-word'])
    expect(last(cluster, 'a')).toBe(
      'machinist.dev/Waiting: pool master: waits for MachineConfig 00-master of the master templates',
    )
    await cluster.client.create(machineConfigs, { metadata: { name: '00-master' } })
    await cluster.settle()
    expect(made(cluster)).toContain('99-master-generated-word')
    expect(last(cluster, 'a')).toBe('Success: Success')
  })

  it('adopts the MachineConfig that an installer generated from an object, and gives the next object the next suffix', async () => {
    const cluster = await started()
    const name = '99-worker-generated-word'
    const labels = { 'machineconfiguration.openshift.io/role': 'worker' }
    const generatedBy = 'machineconfiguration.openshift.io/generated-by-controller-version'
    const { metadata } = await cluster.client.create(machineConfigs, {
      metadata: { name, labels, annotations: { [generatedBy]: 'machinist-installer' } },
      spec: { config: { words: [1] } },
    })
    await create(cluster, 'installed', 'worker', 1)
    await patch(cluster, 'installed', { metadata: { finalizers: [name] } })
    await create(cluster, 'second', 'worker', 2)
    await cluster.reconcile('second')
    expect(made(cluster)).toEqual([name, `${name}-1`])
    await cluster.settle()
    expect(made(cluster)).toEqual([name, `${name}-1`])
    const [first, second] = cluster.objects()
    expect(first!.metadata).toMatchObject({ annotations: { [suffix]: '' }, finalizers: [name] })
    expect(second!.metadata.annotations).toMatchObject({ [suffix]: '1' })
    const kept = await cluster.client.get(machineConfigs, { name })
    expect(kept.metadata.uid).toBe(metadata.uid)
    expect(kept.metadata.ownerReferences).toMatchObject([{ name: 'installed' }])
    expect(last(cluster, 'installed')).toBe('Success: Success')
  })

  it('deletes the MachineConfig of a deleted pool', async () => {
    const cluster = await started()
    await create(cluster, 'a', 'all', 1)
    await cluster.settle()
    await cluster.client.remove(machineConfigPools, { name: 'infra' })
    await cluster.settle()
    expect(made(cluster)).toEqual(['99-master-generated-word', '99-worker-generated-word'])
  })
})

it('the status of a recreated object is not written', async () => {
  const cluster = await started()
  const key = { name: 'one' }
  await create(cluster, 'one', 'worker', 100)
  const old = await cluster.client.get(containerRuntimeConfigs, key)
  await patch(cluster, 'one', { metadata: { finalizers: null } })
  await cluster.client.remove(containerRuntimeConfigs, key)
  await create(cluster, 'one', 'worker', invalidValue)
  const { signal } = new AbortController()
  const kind = { resource: containerRuntimeConfigs, reportsAccepted: false }
  const report = { failures: [], waits: [], ineffective: [], overridden: [] }
  await reportStatus(old, report, kind, { client: cluster.client, signal })
  expect((await cluster.client.get(containerRuntimeConfigs, key)).status).toBeUndefined()
})
