import { expect, it } from 'vitest'
import type { Answer, Api } from './api.ts'
import { conformance } from './conformance.ts'
import { allow, budget, running } from './disruption.ts'
import { failure, pod } from './objects.ts'

function evict(api: Api, namespace: string, name: string, deleteOptions = {}): Promise<Answer> {
  return api.post(`/api/v1/namespaces/${namespace}/pods/${name}/eviction`, {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name, namespace },
    deleteOptions,
  })
}

conformance('eviction', (on) => {
  it(
    'a pod without a budget is marked for deletion',
    on(async ({ api, namespace }) => {
      await running(api, namespace, 'free', 'free')
      const { code, body } = await evict(api, namespace, 'free')
      expect(code).toBe(201)
      expect(body).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Success',
        code: 201,
      })
      const left = await api.get(`/api/v1/namespaces/${namespace}/pods/free`)
      expect(left.body.metadata.deletionGracePeriodSeconds).toBe(30)
      expect(left.body.status['conditions']).toContainEqual({
        type: 'DisruptionTarget',
        status: 'True',
        reason: 'EvictionByEvictionAPI',
        message: 'Eviction API: evicting',
        lastProbeTime: null,
        lastTransitionTime: expect.stringMatching(/Z$/),
      })
    }),
  )

  it(
    '429: a budget blocks, then allows',
    on(async ({ api, namespace }) => {
      await running(api, namespace, 'web-1', 'web')
      await budget(api, namespace, 'web', 0)
      const blocked = await evict(api, namespace, 'web-1')
      expect(blocked.body).toEqual(
        failure(
          429,
          'TooManyRequests',
          "Cannot evict pod as it would violate the pod's disruption budget.",
          {
            causes: [
              {
                reason: 'DisruptionBudget',
                message: 'The disruption budget web needs 1 healthy pods and has 1 currently',
              },
            ],
          },
        ),
      )
      await running(api, namespace, 'web-2', 'web')
      await allow(api, namespace, 'web', 1)
      expect((await evict(api, namespace, 'web-1', { gracePeriodSeconds: 0 })).code).toBe(201)
      expect((await api.get(`/api/v1/namespaces/${namespace}/pods/web-1`)).code).toBe(404)
      const path = `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets/web`
      const { body } = await api.get(path)
      expect(body.status).toMatchObject({ disruptionsAllowed: 0 })
    }),
  )

  it(
    'two budgets on one pod',
    on(async ({ api, namespace }) => {
      await running(api, namespace, 'web-1', 'web')
      await budget(api, namespace, 'web', 1)
      await api.post(`/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`, {
        metadata: { name: 'other' },
        spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
      })
      const { body } = await evict(api, namespace, 'web-1')
      expect(body).toMatchObject({
        code: 500,
        message:
          'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
      })
    }),
  )

  it(
    'a pod that waits for a node minds no budget',
    on(async ({ api, namespace }) => {
      await api.post(`/api/v1/namespaces/${namespace}/pods`, pod('idle', { app: 'web' }))
      await budget(api, namespace, 'web', 0)
      expect((await evict(api, namespace, 'idle')).code).toBe(201)
      expect((await api.get(`/api/v1/namespaces/${namespace}/pods/idle`)).code).toBe(404)
    }),
  )

  it(
    'a dry run only asks',
    on(async ({ api, namespace }) => {
      await running(api, namespace, 'free', 'free')
      expect((await evict(api, namespace, 'free', { dryRun: ['All'] })).code).toBe(201)
      const left = await api.get(`/api/v1/namespaces/${namespace}/pods/free`)
      expect(left.body.metadata.deletionTimestamp).toBeUndefined()
    }),
  )

  it(
    '404: no such pod',
    on(async ({ api, namespace }) => {
      const { body } = await evict(api, namespace, 'none')
      const details = { name: 'none', kind: 'pods' }
      expect(body).toEqual(failure(404, 'NotFound', 'pods "none" not found', details))
    }),
  )
})
