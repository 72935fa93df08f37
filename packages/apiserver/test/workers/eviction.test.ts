import { beforeEach, describe, expect, it } from 'vitest'
import { StatusError } from '../../src/status/status-error.ts'
import { VerbServer } from './verb-server.ts'

let server: VerbServer

beforeEach(async () => {
  server = await VerbServer.start()
})

const counted = {
  observedGeneration: 1,
  disruptionsAllowed: 1,
  currentHealthy: 2,
  desiredHealthy: 1,
  expectedPods: 2,
}

/** The test sets the status: no worker counts pods. */
async function budget(spec: object, status: object = counted): Promise<void> {
  await server.budget('web', spec)
  await server.update('PodDisruptionBudget', 'web', { status }, 'status')
}

async function failure(work: Promise<unknown>): Promise<StatusError> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof StatusError)) throw new Error('it was not refused', { cause: error })
  return error
}

const cause = (message: string): object => ({ causes: [{ reason: 'DisruptionBudget', message }] })

describe('an eviction', () => {
  it('decrements the budget and records the pod', async () => {
    await server.pod('web-1', 'web')
    await budget({ minAvailable: 1 })
    await server.evict('web-1')
    expect(server.status('PodDisruptionBudget', 'web')).toEqual({
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
    expect(server.read('Pod', 'web-1').metadata.deletionGracePeriodSeconds).toBe(30)
  })

  it('keeps the condition while more disruptions are allowed', async () => {
    await server.pod('web-1', 'web')
    await budget({ minAvailable: 1 }, { ...counted, disruptionsAllowed: 2 })
    await server.evict('web-1')
    const status = server.status('PodDisruptionBudget', 'web')
    expect(status['disruptionsAllowed']).toBe(1)
    expect(status).not.toHaveProperty('conditions')
  })

  it('of two at once decrements the budget twice', async () => {
    await server.pod('web-1', 'web')
    await server.pod('web-2', 'web')
    await server.pod('web-3', 'web')
    await budget({ minAvailable: 1 }, { ...counted, disruptionsAllowed: 2 })
    const all = await Promise.allSettled(
      ['web-1', 'web-2', 'web-3'].map((name) => server.evict(name)),
    )
    expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
    expect(server.status('PodDisruptionBudget', 'web')).toMatchObject({
      disruptionsAllowed: 0,
      disruptedPods: { 'web-1': expect.any(String), 'web-2': expect.any(String) },
    })
    expect(server.read('Pod', 'web-3').metadata.deletionTimestamp).toBeUndefined()
  })

  it('waits until the newest budget has been observed', async () => {
    await server.pod('web-1', 'web')
    await budget({ minAvailable: 1 }, { ...counted, observedGeneration: 0 })
    const { code, reason, message, details } = await failure(server.evict('web-1'))
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

  it('is denied without retryAfterSeconds if too few pods would be left', async () => {
    await server.pod('web-1', 'web')
    await budget({ minAvailable: 1 }, { ...counted, disruptionsAllowed: 0, currentHealthy: 1 })
    expect((await failure(server.evict('web-1'))).details).toEqual(
      cause('The disruption budget web needs 1 healthy pods and has 1 currently'),
    )
  })

  it('is forbidden while thousands of others are pending', async () => {
    await server.pod('web-1', 'web')
    const many = Array.from({ length: 2001 }, (_, i) => [`pod-${i}`, '2026-01-01T00:00:00Z'])
    await budget({ minAvailable: 1 }, { ...counted, disruptedPods: Object.fromEntries(many) })
    const { code, message } = await failure(server.evict('web-1'))
    expect(code).toBe(403)
    expect(message).toBe(
      'poddisruptionbudget.policy "web" is forbidden: DisruptedPods map too big - too many evictions not confirmed by PDB controller',
    )
  })

  it('of an unready pod is allowed only while enough others are ready', async () => {
    await server.pod('web-1', 'web', false)
    const none = { ...counted, disruptionsAllowed: 0 }
    await budget({ minAvailable: 1 }, { ...none, currentHealthy: 0 })
    expect((await failure(server.evict('web-1'))).code).toBe(429)
    const status = { ...none, currentHealthy: 1 }
    await server.update('PodDisruptionBudget', 'web', { status }, 'status')
    await server.evict('web-1')
    expect(server.status('PodDisruptionBudget', 'web')).toEqual(status)
    expect(server.read('Pod', 'web-1').metadata.deletionTimestamp).toBeDefined()
  })

  it('of an unready pod is allowed with policy AlwaysAllow', async () => {
    await server.pod('web-1', 'web', false)
    const none = { ...counted, disruptionsAllowed: 0, currentHealthy: 0 }
    await budget({ minAvailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' }, none)
    await server.evict('web-1')
    expect(server.read('Pod', 'web-1').metadata.deletionTimestamp).toBeDefined()
  })

  it('is retried if the pod changed after it was found unready', async () => {
    await server.pod('web-1', 'web', false)
    await budget({ minAvailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' })
    const evicted = failure(server.evict('web-1'))
    const [{ code, details }] = await Promise.all([evicted, server.ready('web-1', true)])
    expect(code).toBe(429)
    expect(details?.retryAfterSeconds).toBe(10)
    expect(server.read('Pod', 'web-1').metadata.deletionTimestamp).toBeUndefined()
  })

  it('as a dry run changes neither the pod nor the budget', async () => {
    await server.pod('web-1', 'web')
    await budget({ minAvailable: 1 })
    const { revision } = server.store
    await server.evict('web-1', { dryRun: ['All'] })
    await server.evict('web-1', {}, true)
    await server.evict('web-1', { dryRun: ['All'] }, true)
    expect(server.store.revision).toBe(revision)
    const { code, reason, message } = await failure(
      server.evict('web-1', { dryRun: ['All', 'All'] }, true),
    )
    expect({ code, reason, message }).toEqual({
      code: 500,
      reason: '',
      message: 'Non-matching dry-run options in request and content: [All] and [All All]',
    })
  })

  it('checks preconditions, which its own condition does not invalidate', async () => {
    const { metadata } = await server.pod('free', 'free')
    const other = { preconditions: { uid: 'x' } }
    const { message } = await failure(server.evict('free', other))
    expect(message).toBe(
      `Operation cannot be fulfilled on Pod "free": the UID in the precondition (x) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
    )
    expect(server.status('Pod', 'free')['conditions']).toHaveLength(1)
    const { resourceVersion, uid } = metadata
    await server.evict('free', { preconditions: { resourceVersion, uid } })
    expect(server.read('Pod', 'free').metadata.deletionTimestamp).toBeDefined()
  })

  it('sets the condition once, without a field owner', async () => {
    await server.pod('free', 'free')
    const before = server.read('Pod', 'free').metadata.managedFields
    await server.evict('free')
    const { metadata } = server.read('Pod', 'free')
    expect(metadata.managedFields).toEqual(before)
    await server.clock.advance(5000)
    const { revision } = server.store
    await server.evict('free')
    expect(server.store.revision).toBe(revision)
    expect(server.status('Pod', 'free')['conditions']).toContainEqual({
      type: 'DisruptionTarget',
      status: 'True',
      lastProbeTime: null,
      lastTransitionTime: '2026-01-01T00:00:00Z',
      reason: 'EvictionByEvictionAPI',
      message: 'Eviction API: evicting',
    })
  })
})
