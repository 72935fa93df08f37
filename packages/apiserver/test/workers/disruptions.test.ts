import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { OwnerReference } from '@machinist/core/objects/resource'
import { silentLogger } from '@machinist/core/log'
import { DisruptionWorker } from '../../src/workers/disruptions.ts'
import { VerbServer } from './verb-server.ts'

let server: VerbServer
let worker: DisruptionWorker

beforeEach(async () => {
  server = await VerbServer.start()
  worker = new DisruptionWorker(server.context, silentLogger)
})

afterEach(() => worker.stop())

/** The status of a budget after the worker has finished. */
async function status(name = 'web'): Promise<Record<string, unknown>> {
  await server.clock.advance(0)
  return server.status('PodDisruptionBudget', name)
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
  const { metadata } = await server.create(kind, {
    metadata: { name, ...(owner && { ownerReferences: [owner] }) },
    spec: { replicas, selector: { matchLabels }, template },
  })
  return { apiVersion: 'apps/v1', kind, name, uid: metadata.uid!, controller: true }
}

describe('the status of a budget', () => {
  it('follows its pods', async () => {
    await server.budget('web', { minAvailable: 1 })
    expect(await status()).toMatchObject({ observedGeneration: 1, expectedPods: 0 })
    await server.pod('web-1', 'web')
    await server.pod('web-2', 'web')
    await server.pod('other', 'other')
    expect(await status()).toMatchObject({
      disruptionsAllowed: 1,
      currentHealthy: 2,
      desiredHealthy: 1,
      expectedPods: 2,
      conditions: [{ type: 'DisruptionAllowed', status: 'True', reason: 'SufficientPods' }],
    })
    await server.ready('web-2', false)
    expect(await status()).toMatchObject({ disruptionsAllowed: 0, currentHealthy: 1 })
    await server.remove('Pod', 'web-1')
    expect(await status()).toMatchObject({ currentHealthy: 0, expectedPods: 2 })
  })

  it('follows labels and selectors', async () => {
    await server.budget('web', { minAvailable: 1 })
    const { metadata } = await server.pod('p', 'other')
    expect(await status()).toMatchObject({ currentHealthy: 0 })
    await server.update('Pod', 'p', { metadata: { ...metadata, labels: { app: 'web' } } })
    expect(await status()).toMatchObject({ currentHealthy: 1, expectedPods: 1 })
    const selector = { matchLabels: { app: 'none' } }
    await server.update('PodDisruptionBudget', 'web', { spec: { minAvailable: 1, selector } })
    expect(await status()).toMatchObject({ observedGeneration: 2, expectedPods: 0 })
  })

  it('includes pods that existed before the worker', async () => {
    await worker.stop()
    await server.pod('web-1', 'web')
    await server.budget('web', { minAvailable: 0 })
    worker = new DisruptionWorker(server.context, silentLogger)
    expect(await status()).toMatchObject({ disruptionsAllowed: 1, observedGeneration: 1 })
  })

  it('is corrected when another client writes it', async () => {
    await server.pod('web-1', 'web')
    await server.budget('web', { minAvailable: 1 })
    const before = await status()
    const wrong = { ...before, disruptionsAllowed: 7 }
    await server.update('PodDisruptionBudget', 'web', { status: wrong }, 'status')
    expect(await status()).toEqual(before)
  })

  it('is written only when it changes', async () => {
    await server.pod('web-1', 'web')
    await server.budget('web', { minAvailable: 1 })
    await status()
    const { revision } = server.store
    const { metadata } = server.read('Pod', 'web-1')
    await server.update('Pod', 'web-1', { metadata: { ...metadata, annotations: { a: 'b' } } })
    await status()
    expect(server.store.revision).toBe(revision + 1)
  })
})

describe('a budget with a percentage', () => {
  it('uses the Deployment of ReplicaSets', async () => {
    const deployment = await controller('Deployment', 'web', 4)
    const old = await controller('ReplicaSet', 'web-old', 3, deployment)
    const fresh = await controller('ReplicaSet', 'web-new', 2, deployment)
    await server.pod('web-1', 'web', true, { ownerReferences: [old] })
    await server.pod('web-2', 'web', true, { ownerReferences: [old] })
    await server.pod('web-3', 'web', true, { ownerReferences: [fresh] })
    await server.budget('web', { minAvailable: '50%' })
    expect(await status()).toMatchObject({
      expectedPods: 4,
      desiredHealthy: 2,
      currentHealthy: 3,
      disruptionsAllowed: 1,
    })
  })

  it('uses a ReplicaSet without a Deployment, and follows its scale', async () => {
    const owner = await controller('ReplicaSet', 'web', 2)
    await server.pod('web-1', 'web', true, { ownerReferences: [owner] })
    await server.budget('web', { maxUnavailable: 1 })
    expect(await status()).toMatchObject({ expectedPods: 2, desiredHealthy: 1 })
    const { spec } = server.read('ReplicaSet', 'web') as unknown as { spec: object }
    await server.update('ReplicaSet', 'web', { spec: { ...spec, replicas: 5 } })
    expect(await status()).toMatchObject({ expectedPods: 5, desiredHealthy: 4 })
  })

  it('ignores pods without a controller', async () => {
    await server.pod('web-1', 'web')
    await server.budget('web', { maxUnavailable: 1 })
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
  ] as const)('allows nothing if a %s has no scale', async ([kind, message]) => {
    const gone = { apiVersion: 'apps/v1', kind, name: 'web', uid: 'x', controller: true }
    await server.pod('web-1', 'web', true, { ownerReferences: [gone] })
    await server.budget('web', { maxUnavailable: 1 })
    expect(await status()).toMatchObject({
      disruptionsAllowed: 0,
      conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'SyncFailed', message }],
    })
  })
})

describe('evictions with the disruption worker', () => {
  it('are denied, continue when another pod is ready, and are denied again', async () => {
    await server.pod('web-1', 'web')
    await server.budget('web', { minAvailable: 1 })
    await status()
    await expect(server.evict('web-1')).rejects.toMatchObject({ code: 429 })
    await server.pod('web-2', 'web')
    await status()
    await server.evict('web-1')
    await status()
    await expect(server.evict('web-2')).rejects.toMatchObject({ code: 429 })
    expect(await status()).toMatchObject({ currentHealthy: 1, disruptionsAllowed: 0 })
    expect(await status()).not.toHaveProperty('disruptedPods')
  })

  it('count a disrupted pod again that was not deleted', async () => {
    await server.pod('web-1', 'web')
    await server.pod('web-2', 'web')
    await server.budget('web', { minAvailable: 1 })
    const promised = { ...(await status()), disruptedPods: { 'web-1': '2026-01-01T00:00:00Z' } }
    await server.update('PodDisruptionBudget', 'web', { status: promised }, 'status')
    expect(await status()).toMatchObject({ currentHealthy: 1, disruptionsAllowed: 0 })
    await server.clock.advance(119_000)
    expect(await status()).toMatchObject({ currentHealthy: 1, disruptionsAllowed: 0 })
    await server.clock.advance(1000)
    const after = await status()
    expect(after).toMatchObject({ currentHealthy: 2, disruptionsAllowed: 1 })
    expect(after).not.toHaveProperty('disruptedPods')
  })
})
