import { beforeEach, describe, expect, it } from 'vitest'
import { Refusal } from '../../src/refusal.ts'
import { World } from './world.ts'

let world: World

beforeEach(async () => {
  world = await World.begun()
})

const counted = {
  observedGeneration: 1,
  disruptionsAllowed: 1,
  currentHealthy: 2,
  desiredHealthy: 1,
  expectedPods: 2,
}

/** Nobody counts here: a budget says what it is told to say. */
async function budget(spec: object, status: object = counted): Promise<void> {
  await world.budget('web', spec)
  await world.update('PodDisruptionBudget', 'web', { status }, 'status')
}

async function refusal(work: Promise<unknown>): Promise<Refusal> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof Refusal)) throw new Error('it was not refused', { cause: error })
  return error
}

const cause = (message: string): object => ({ causes: [{ reason: 'DisruptionBudget', message }] })

describe('an eviction', () => {
  it('takes one disruption off the budget and notes the pod', async () => {
    await world.pod('web-1', 'web')
    await budget({ minAvailable: 1 })
    await world.evict('web-1')
    expect(world.status('PodDisruptionBudget', 'web')).toEqual({
      ...counted,
      disruptionsAllowed: 0,
      disruptedPods: { 'web-1': '2026-01-01T00:00:00Z' },
      conditions: [
        {
          type: 'DisruptionAllowed',
          status: 'False',
          observedGeneration: 1,
          lastTransitionTime: '2026-01-01T00:00:00Z',
          reason: 'InsufficientPods',
          message: '',
        },
      ],
    })
    expect(world.read('Pod', 'web-1').metadata.deletionGracePeriodSeconds).toBe(30)
  })

  it('leaves the condition alone while more may go', async () => {
    await world.pod('web-1', 'web')
    await budget({ minAvailable: 1 }, { ...counted, disruptionsAllowed: 2 })
    await world.evict('web-1')
    const status = world.status('PodDisruptionBudget', 'web')
    expect(status['disruptionsAllowed']).toBe(1)
    expect(status).not.toHaveProperty('conditions')
  })

  it('of two at once takes two disruptions, not one twice', async () => {
    await world.pod('web-1', 'web')
    await world.pod('web-2', 'web')
    await world.pod('web-3', 'web')
    await budget({ minAvailable: 1 }, { ...counted, disruptionsAllowed: 2 })
    const all = await Promise.allSettled(
      ['web-1', 'web-2', 'web-3'].map((name) => world.evict(name)),
    )
    expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
    expect(world.status('PodDisruptionBudget', 'web')).toMatchObject({
      disruptionsAllowed: 0,
      disruptedPods: { 'web-1': expect.any(String), 'web-2': expect.any(String) },
    })
    expect(world.read('Pod', 'web-3').metadata.deletionTimestamp).toBeUndefined()
  })

  it('waits until somebody has seen the newest budget', async () => {
    await world.pod('web-1', 'web')
    await budget({ minAvailable: 1 }, { ...counted, observedGeneration: 0 })
    const { code, reason, message, details } = await refusal(world.evict('web-1'))
    expect({ code, reason, message }).toEqual({
      code: 429,
      reason: 'TooManyRequests',
      message: "Cannot evict pod as it would violate the pod's disruption budget.",
    })
    expect(details).toEqual({
      ...cause('The disruption budget web is still being processed by the server.'),
      retryAfterSeconds: 10,
    })
  })

  it('is refused without a time to come back when too few would be left', async () => {
    await world.pod('web-1', 'web')
    await budget({ minAvailable: 1 }, { ...counted, disruptionsAllowed: 0, currentHealthy: 1 })
    expect((await refusal(world.evict('web-1'))).details).toEqual(
      cause('The disruption budget web needs 1 healthy pods and has 1 currently'),
    )
  })

  it('is forbidden while thousands of others have not been seen', async () => {
    await world.pod('web-1', 'web')
    const many = Array.from({ length: 2001 }, (_, i) => [`pod-${i}`, '2026-01-01T00:00:00Z'])
    await budget({ minAvailable: 1 }, { ...counted, disruptedPods: Object.fromEntries(many) })
    const { code, message } = await refusal(world.evict('web-1'))
    expect(code).toBe(403)
    expect(message).toBe(
      'poddisruptionbudget.policy "web" is forbidden: DisruptedPods map too big - too many evictions not confirmed by PDB controller',
    )
  })

  it('spares a pod that is not ready only while enough others are', async () => {
    await world.pod('web-1', 'web', false)
    const none = { ...counted, disruptionsAllowed: 0 }
    await budget({ minAvailable: 1 }, { ...none, currentHealthy: 0 })
    expect((await refusal(world.evict('web-1'))).code).toBe(429)
    const status = { ...none, currentHealthy: 1 }
    await world.update('PodDisruptionBudget', 'web', { status }, 'status')
    await world.evict('web-1')
    expect(world.status('PodDisruptionBudget', 'web')).toEqual(status)
    expect(world.read('Pod', 'web-1').metadata.deletionTimestamp).toBeDefined()
  })

  it('lets a pod that is not ready go when the budget says so', async () => {
    await world.pod('web-1', 'web', false)
    const none = { ...counted, disruptionsAllowed: 0, currentHealthy: 0 }
    await budget({ minAvailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' }, none)
    await world.evict('web-1')
    expect(world.read('Pod', 'web-1').metadata.deletionTimestamp).toBeDefined()
  })

  it('must ask again when the pod changed after it was found not ready', async () => {
    await world.pod('web-1', 'web', false)
    await budget({ minAvailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' })
    const evicted = refusal(world.evict('web-1'))
    const [{ code, details }] = await Promise.all([evicted, world.ready('web-1', true)])
    expect(code).toBe(429)
    expect(details?.retryAfterSeconds).toBe(10)
    expect(world.read('Pod', 'web-1').metadata.deletionTimestamp).toBeUndefined()
  })

  it('as a dry run changes neither the pod nor the budget', async () => {
    await world.pod('web-1', 'web')
    await budget({ minAvailable: 1 })
    const { revision } = world.store
    await world.evict('web-1', { dryRun: ['All'] })
    await world.evict('web-1', {}, true)
    await world.evict('web-1', { dryRun: ['All'] }, true)
    expect(world.store.revision).toBe(revision)
    const { code, reason, message } = await refusal(
      world.evict('web-1', { dryRun: ['All', 'All'] }, true),
    )
    expect({ code, reason, message }).toEqual({
      code: 500,
      reason: '',
      message: 'Non-matching dry-run options in request and content: [All] and [All All]',
    })
  })

  it('is only of the pod that was meant, and the mark it leaves is no change of that', async () => {
    const { metadata } = await world.pod('free', 'free')
    const other = { preconditions: { uid: 'x' } }
    const { message } = await refusal(world.evict('free', other))
    expect(message).toBe(
      `Operation cannot be fulfilled on Pod "free": the UID in the precondition (x) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
    )
    expect(world.status('Pod', 'free')['conditions']).toHaveLength(1)
    const { resourceVersion, uid } = metadata
    await world.evict('free', { preconditions: { resourceVersion, uid } })
    expect(world.read('Pod', 'free').metadata.deletionTimestamp).toBeDefined()
  })

  it('marks a pod once, and nobody owns the mark', async () => {
    await world.pod('free', 'free')
    const before = world.read('Pod', 'free').metadata.managedFields
    await world.evict('free')
    const { metadata } = world.read('Pod', 'free')
    expect(metadata.managedFields).toEqual(before)
    await world.clock.advance(5000)
    const { revision } = world.store
    await world.evict('free')
    expect(world.store.revision).toBe(revision)
    expect(world.status('Pod', 'free')['conditions']).toContainEqual({
      type: 'DisruptionTarget',
      status: 'True',
      lastProbeTime: null,
      lastTransitionTime: '2026-01-01T00:00:00Z',
      reason: 'EvictionByEvictionAPI',
      message: 'Eviction API: evicting',
    })
  })
})
