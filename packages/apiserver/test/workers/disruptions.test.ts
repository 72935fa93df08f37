import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DisruptionWorker } from '../../src/workers/disruptions.ts'
import type { OwnerReference } from '@machinist/core/resource'
import { silentLogger } from '@machinist/core/log'
import { World } from './world.ts'

let world: World
let worker: DisruptionWorker

beforeEach(async () => {
  world = await World.begun()
  worker = new DisruptionWorker(world.context, silentLogger)
})

afterEach(() => worker.stop())

/** What a budget says once everybody has come to rest. */
async function status(name = 'web'): Promise<Record<string, unknown>> {
  await world.clock.advance(0)
  return world.status('PodDisruptionBudget', name)
}

const matchLabels = { app: 'web' }
const template = {
  metadata: { labels: matchLabels },
  spec: { containers: [{ name: 'main', image: 'example.org/main:1' }] },
}

async function controller(
  kind: string,
  name: string,
  replicas: number,
  owner?: OwnerReference,
): Promise<OwnerReference> {
  const { metadata } = await world.create(kind, {
    metadata: { name, ...(owner && { ownerReferences: [owner] }) },
    spec: { replicas, selector: { matchLabels }, template },
  })
  return { apiVersion: 'apps/v1', kind, name, uid: metadata.uid!, controller: true }
}

describe('the status of a budget', () => {
  it('follows its pods', async () => {
    await world.budget('web', { minAvailable: 1 })
    expect(await status()).toMatchObject({ observedGeneration: 1, expectedPods: 0 })
    await world.pod('web-1', 'web')
    await world.pod('web-2', 'web')
    await world.pod('other', 'other')
    expect(await status()).toMatchObject({
      disruptionsAllowed: 1,
      currentHealthy: 2,
      desiredHealthy: 1,
      expectedPods: 2,
      conditions: [{ type: 'DisruptionAllowed', status: 'True', reason: 'SufficientPods' }],
    })
    await world.ready('web-2', false)
    expect(await status()).toMatchObject({ disruptionsAllowed: 0, currentHealthy: 1 })
    await world.remove('Pod', 'web-1')
    expect(await status()).toMatchObject({ currentHealthy: 0, expectedPods: 2 })
  })

  it('follows labels and selectors', async () => {
    await world.budget('web', { minAvailable: 1 })
    const { metadata } = await world.pod('p', 'other')
    expect(await status()).toMatchObject({ currentHealthy: 0 })
    await world.update('Pod', 'p', { metadata: { ...metadata, labels: { app: 'web' } } })
    expect(await status()).toMatchObject({ currentHealthy: 1, expectedPods: 1 })
    const selector = { matchLabels: { app: 'none' } }
    await world.update('PodDisruptionBudget', 'web', { spec: { minAvailable: 1, selector } })
    expect(await status()).toMatchObject({ observedGeneration: 2, expectedPods: 0 })
  })

  it('is about what was there before the worker', async () => {
    await worker.stop()
    await world.pod('web-1', 'web')
    await world.budget('web', { minAvailable: 0 })
    worker = new DisruptionWorker(world.context, silentLogger)
    expect(await status()).toMatchObject({ disruptionsAllowed: 1, observedGeneration: 1 })
  })

  it('is put right again when somebody else writes it', async () => {
    await world.pod('web-1', 'web')
    await world.budget('web', { minAvailable: 1 })
    const before = await status()
    const wrong = { ...before, disruptionsAllowed: 7 }
    await world.update('PodDisruptionBudget', 'web', { status: wrong }, 'status')
    expect(await status()).toEqual(before)
  })

  it('is written only when it changes', async () => {
    await world.pod('web-1', 'web')
    await world.budget('web', { minAvailable: 1 })
    await status()
    const { revision } = world.store
    const { metadata } = world.read('Pod', 'web-1')
    await world.update('Pod', 'web-1', { metadata: { ...metadata, annotations: { a: 'b' } } })
    await status()
    expect(world.store.revision).toBe(revision + 1)
  })
})

describe('a budget that is a part of what controllers ask for', () => {
  it('asks the deployment behind the replica sets', async () => {
    const deployment = await controller('Deployment', 'web', 4)
    const old = await controller('ReplicaSet', 'web-old', 3, deployment)
    const fresh = await controller('ReplicaSet', 'web-new', 2, deployment)
    await world.pod('web-1', 'web', true, { ownerReferences: [old] })
    await world.pod('web-2', 'web', true, { ownerReferences: [old] })
    await world.pod('web-3', 'web', true, { ownerReferences: [fresh] })
    await world.budget('web', { minAvailable: '50%' })
    expect(await status()).toMatchObject({
      expectedPods: 4,
      desiredHealthy: 2,
      currentHealthy: 3,
      disruptionsAllowed: 1,
    })
  })

  it('asks a replica set that stands alone, and hears when it is scaled', async () => {
    const owner = await controller('ReplicaSet', 'web', 2)
    await world.pod('web-1', 'web', true, { ownerReferences: [owner] })
    await world.budget('web', { maxUnavailable: 1 })
    expect(await status()).toMatchObject({ expectedPods: 2, desiredHealthy: 1 })
    const { spec } = world.read('ReplicaSet', 'web') as unknown as { spec: object }
    await world.update('ReplicaSet', 'web', { spec: { ...spec, replicas: 5 } })
    expect(await status()).toMatchObject({ expectedPods: 5, desiredHealthy: 4 })
  })

  it('knows nothing of pods without a controller', async () => {
    await world.pod('web-1', 'web')
    await world.budget('web', { maxUnavailable: 1 })
    expect(await status()).toMatchObject({
      expectedPods: 0,
      desiredHealthy: 0,
      currentHealthy: 1,
      disruptionsAllowed: 0,
      conditions: [{ reason: 'InsufficientPods' }],
    })
  })

  it.for([
    ['DaemonSet', 'daemonsets.apps does not implement the scale subresource'],
    ['StatefulSet', 'no matches for kind "StatefulSet" in version "apps/v1"'],
    ['ReplicaSet', 'found no controllers for pod "web-1"'],
  ] as const)('allows nothing when a %s cannot be asked', async ([kind, message]) => {
    const gone = { apiVersion: 'apps/v1', kind, name: 'web', uid: 'x', controller: true }
    await world.pod('web-1', 'web', true, { ownerReferences: [gone] })
    await world.budget('web', { maxUnavailable: 1 })
    expect(await status()).toMatchObject({
      disruptionsAllowed: 0,
      conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'SyncFailed', message }],
    })
  })
})

describe('evictions and the worker together', () => {
  it('block, go on when another pod is ready, and block again', async () => {
    await world.pod('web-1', 'web')
    await world.budget('web', { minAvailable: 1 })
    await status()
    await expect(world.evict('web-1')).rejects.toMatchObject({ code: 429 })
    await world.pod('web-2', 'web')
    await status()
    await world.evict('web-1')
    await status()
    await expect(world.evict('web-2')).rejects.toMatchObject({ code: 429 })
    expect(await status()).toMatchObject({ currentHealthy: 1, disruptionsAllowed: 0 })
    expect(await status()).not.toHaveProperty('disruptedPods')
  })

  it('count a pod again that was promised to go and stayed', async () => {
    await world.pod('web-1', 'web')
    await world.pod('web-2', 'web')
    await world.budget('web', { minAvailable: 1 })
    const promised = { ...(await status()), disruptedPods: { 'web-1': '2026-01-01T00:00:00Z' } }
    await world.update('PodDisruptionBudget', 'web', { status: promised }, 'status')
    expect(await status()).toMatchObject({ currentHealthy: 1, disruptionsAllowed: 0 })
    await world.clock.advance(119_000)
    expect(await status()).toMatchObject({ currentHealthy: 1, disruptionsAllowed: 0 })
    await world.clock.advance(1000)
    const after = await status()
    expect(after).toMatchObject({ currentHealthy: 2, disruptionsAllowed: 1 })
    expect(after).not.toHaveProperty('disruptedPods')
  })
})
