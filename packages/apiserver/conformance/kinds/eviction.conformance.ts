import { expect, it } from 'vitest'
import type { Answer, Api } from '../support/api.ts'
import { conformance } from '../support/conformance.ts'
import { budget, budgetsPath, counted, oneOf, running } from '../support/disruption.ts'
import { failure, pod } from '../support/objects.ts'

function evict(
  api: Api,
  namespace: string,
  name: string,
  deleteOptions = {},
  query = '',
): Promise<Answer> {
  return api.post(`/api/v1/namespaces/${namespace}/pods/${name}/eviction${query}`, {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name, namespace },
    deleteOptions,
  })
}

const violated = (message: string): object =>
  failure(
    429,
    'TooManyRequests',
    "Cannot evict pod as it would violate the pod's disruption budget.",
    { causes: [{ reason: 'DisruptionBudget', message }] },
  )

conformance('eviction', (on) => {
  it(
    'a pod without a budget is deleted with a grace period',
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
    'the DisruptionTarget condition has no field owner',
    on(async ({ api, namespace }) => {
      await running(api, namespace, 'free', 'free')
      const path = `/api/v1/namespaces/${namespace}/pods/free`
      const before = await api.get(path)
      await evict(api, namespace, 'free')
      const { body } = await api.get(path)
      expect(body.metadata.managedFields).toEqual(before.body.metadata.managedFields)
      expect(body.status['conditions']).toHaveLength(2)
    }),
  )

  it(
    '429: a budget denies, then allows',
    on(async ({ api, namespace }) => {
      await running(api, namespace, 'web-1', 'web')
      await budget(api, namespace, 'web', oneOf(1))
      const blocked = await evict(api, namespace, 'web-1')
      expect(blocked.body).toEqual(
        violated('The disruption budget web needs 1 healthy pods and has 1 currently'),
      )
      expect(blocked.headers['retry-after']).toBeUndefined()
      await running(api, namespace, 'web-2', 'web')
      await counted(api, namespace, 'web', oneOf(2))
      expect((await evict(api, namespace, 'web-1', { gracePeriodSeconds: 0 })).code).toBe(201)
      expect((await api.get(`/api/v1/namespaces/${namespace}/pods/web-1`)).code).toBe(404)
      const { body } = await api.get(`${budgetsPath(namespace)}/web`)
      expect(body.status).toMatchObject({ disruptionsAllowed: 0 })
    }),
  )

  it(
    'an eviction decrements the budget, but not for a pod that is being deleted',
    on(async ({ api, namespace }) => {
      for (const name of ['web-1', 'web-2', 'web-3']) await running(api, namespace, name, 'web')
      await budget(api, namespace, 'web', oneOf(3))
      const allowed = async (): Promise<unknown> => {
        const { body } = await api.get(`${budgetsPath(namespace)}/web`)
        return body.status['disruptionsAllowed']
      }
      expect((await evict(api, namespace, 'web-1')).code).toBe(201)
      expect(await allowed()).toBe(1)
      expect((await evict(api, namespace, 'web-1')).code).toBe(201)
      expect(await allowed()).toBe(1)
      expect((await evict(api, namespace, 'web-2')).code).toBe(201)
      const { body } = await api.get(`${budgetsPath(namespace)}/web`)
      expect(body.status).toMatchObject({
        disruptionsAllowed: 0,
        conditions: [
          {
            type: 'DisruptionAllowed',
            status: 'False',
            observedGeneration: 1,
            lastTransitionTime: expect.stringMatching(/Z$/),
            reason: 'InsufficientPods',
            message: '',
          },
        ],
      })
      expect((await evict(api, namespace, 'web-3')).code).toBe(429)
    }),
  )

  it(
    '500: two budgets for one pod',
    on(async ({ api, namespace }) => {
      await running(api, namespace, 'web-1', 'web')
      await budget(api, namespace, 'web', oneOf(1))
      await api.post(budgetsPath(namespace), {
        metadata: { name: 'other' },
        spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
      })
      const { body } = await evict(api, namespace, 'web-1')
      expect(body).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message:
          'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
        code: 500,
      })
    }),
  )

  it(
    'an unready pod can be evicted while enough others are ready',
    on(async ({ api, namespace }) => {
      await running(api, namespace, 'web-1', 'web', { ready: false })
      const none = { allowed: 0, healthy: 0, desired: 1, expected: 1 }
      await budget(api, namespace, 'web', none)
      expect((await evict(api, namespace, 'web-1')).body).toEqual(
        violated('The disruption budget web needs 1 healthy pods and has 0 currently'),
      )
      await running(api, namespace, 'web-2', 'web')
      await counted(api, namespace, 'web', { ...none, healthy: 1, expected: 2 })
      expect((await evict(api, namespace, 'web-1', {}, '?dryRun=All')).code).toBe(201)
      expect((await evict(api, namespace, 'web-1')).code).toBe(201)
      expect((await evict(api, namespace, 'web-2')).code).toBe(429)
    }),
  )

  it(
    'an unready pod can always be evicted with policy AlwaysAllow',
    on(async ({ api, namespace }) => {
      await running(api, namespace, 'web-1', 'web', { ready: false })
      const spec = { minAvailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' }
      const none = { allowed: 0, healthy: 0, desired: 1, expected: 1 }
      await budget(api, namespace, 'web', none, spec)
      // The resourceVersion in the options is ignored: the server uses its own.
      const stale = { preconditions: { resourceVersion: '1' } }
      expect((await evict(api, namespace, 'web-1', stale)).code).toBe(201)
    }),
  )

  it(
    '429: a budget that expects no pods',
    on(async ({ api, namespace }) => {
      await running(api, namespace, 'web-1', 'web')
      const nobody = { allowed: 0, healthy: 1, desired: 0, expected: 0 }
      await budget(api, namespace, 'web', nobody, { maxUnavailable: 1 })
      expect((await evict(api, namespace, 'web-1')).body).toEqual(
        violated('The disruption budget web needs 0 healthy pods and has 1 currently'),
      )
    }),
  )

  it(
    'a pending pod is evicted without a budget',
    on(async ({ api, namespace }) => {
      await api.post(`/api/v1/namespaces/${namespace}/pods`, pod('idle', { app: 'web' }))
      await budget(api, namespace, 'web', { allowed: 0, healthy: 0, desired: 1, expected: 1 })
      expect((await evict(api, namespace, 'idle')).code).toBe(201)
      expect((await api.get(`/api/v1/namespaces/${namespace}/pods/idle`)).code).toBe(404)
    }),
  )

  it(
    'a finished pod is evicted without a budget and grace period',
    on(async ({ api, namespace }) => {
      await running(api, namespace, 'done', 'web', { ready: false })
      const path = `/api/v1/namespaces/${namespace}/pods/done`
      await api.patch(`${path}/status`, 'merge', { status: { phase: 'Succeeded' } })
      await budget(api, namespace, 'web', { allowed: 0, healthy: 0, desired: 1, expected: 1 })
      expect((await evict(api, namespace, 'done')).code).toBe(201)
      expect((await api.get(path)).code).toBe(404)
    }),
  )

  it(
    'the grace period of the options applies',
    on(async ({ api, namespace }) => {
      await running(api, namespace, 'free', 'free')
      const grace = async (): Promise<unknown> => {
        const { body } = await api.get(`/api/v1/namespaces/${namespace}/pods/free`)
        return body.metadata.deletionGracePeriodSeconds
      }
      await evict(api, namespace, 'free', { gracePeriodSeconds: 20 })
      expect(await grace()).toBe(20)
      await evict(api, namespace, 'free', { gracePeriodSeconds: 25 })
      expect(await grace()).toBe(20)
      await evict(api, namespace, 'free', { gracePeriodSeconds: -1 })
      expect(await grace()).toBe(1)
    }),
  )

  it(
    'a dry run deletes nothing',
    on(async ({ api, namespace }) => {
      await running(api, namespace, 'free', 'free')
      expect((await evict(api, namespace, 'free', { dryRun: ['All'] })).code).toBe(201)
      const left = await api.get(`/api/v1/namespaces/${namespace}/pods/free`)
      expect(left.body.metadata.deletionTimestamp).toBeUndefined()
      expect(left.body.status['conditions']).toHaveLength(1)
    }),
  )

  it(
    'a dry run checks the budget without decrementing it',
    on(async ({ api, namespace }) => {
      await running(api, namespace, 'web-1', 'web')
      await running(api, namespace, 'web-2', 'web')
      await budget(api, namespace, 'web', oneOf(2))
      expect((await evict(api, namespace, 'web-1', {}, '?dryRun=All')).code).toBe(201)
      expect((await evict(api, namespace, 'web-1', { dryRun: ['All'] })).code).toBe(201)
      const { body } = await api.get(`${budgetsPath(namespace)}/web`)
      expect(body.status).toMatchObject({ disruptionsAllowed: 1 })
      await running(api, namespace, 'solo-1', 'solo')
      await budget(api, namespace, 'solo', oneOf(1))
      expect((await evict(api, namespace, 'solo-1', {}, '?dryRun=All')).code).toBe(429)
    }),
  )

  it(
    '500: different dry-run options in query and body',
    on(async ({ api, namespace }) => {
      await running(api, namespace, 'free', 'free')
      const { body } = await evict(
        api,
        namespace,
        'free',
        { dryRun: ['All', 'All'] },
        '?dryRun=All',
      )
      expect(body).toMatchObject({
        code: 500,
        message: 'Non-matching dry-run options in request and content: [All] and [All All]',
      })
      expect(body).not.toHaveProperty('reason')
    }),
  )

  it(
    '409: preconditions apply',
    on(async ({ api, namespace }) => {
      await running(api, namespace, 'free', 'free')
      const path = `/api/v1/namespaces/${namespace}/pods/free`
      const { uid, resourceVersion } = (await api.get(path)).body.metadata
      const other = '00000000-0000-0000-0000-000000000000'
      const byUid = await evict(api, namespace, 'free', { preconditions: { uid: other } })
      expect(byUid.body).toEqual(
        failure(
          409,
          'Conflict',
          `Operation cannot be fulfilled on Pod "free": the UID in the precondition (${other}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
          { name: 'free', kind: 'Pod' },
        ),
      )
      const byVersion = await evict(api, namespace, 'free', {
        preconditions: { resourceVersion: '1' },
      })
      expect(byVersion.body['message']).toBe(
        `Operation cannot be fulfilled on Pod "free": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
      )
      const right = await evict(api, namespace, 'free', { preconditions: { uid, resourceVersion } })
      expect(right.code).toBe(201)
    }),
  )

  it(
    '400: a name that differs from the path',
    on(async ({ api, namespace }) => {
      await running(api, namespace, 'free', 'free')
      const path = `/api/v1/namespaces/${namespace}/pods/free/eviction`
      const wrong = failure(400, 'BadRequest', 'name in URL does not match name in Eviction object')
      for (const metadata of [{}, { name: 'other' }]) {
        const { body } = await api.post(path, { metadata })
        expect(body).toEqual(wrong)
      }
      const elsewhere = await api.post(path, { metadata: { name: 'free', namespace: 'other' } })
      expect(elsewhere.body).toEqual(
        failure(
          400,
          'BadRequest',
          'the namespace of the provided object does not match the namespace sent on the request',
        ),
      )
      expect((await api.post(path, { metadata: { name: 'free' } })).code).toBe(201)
    }),
  )

  it(
    '422: invalid options',
    on(async ({ api, namespace }) => {
      await running(api, namespace, 'free', 'free')
      const unknown = await evict(api, namespace, 'free', { dryRun: ['Some'] })
      expect(unknown.body).toMatchObject({
        code: 422,
        message:
          'DeleteOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: []string{"Some"}: supported values: "All"',
      })
      const unsafe = await evict(api, namespace, 'free', {
        ignoreStoreReadErrorWithClusterBreakingPotential: true,
      })
      expect(unsafe.body).toEqual(
        failure(
          422,
          'Invalid',
          'Eviction.policy "free" is invalid: deleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: can not be set for pod eviction, try after removing the option',
          {
            name: 'free',
            group: 'policy',
            kind: 'Eviction',
            causes: [
              {
                reason: 'FieldValueInvalid',
                message:
                  'Invalid value: true: can not be set for pod eviction, try after removing the option',
                field: 'deleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential',
              },
            ],
          },
        ),
      )
    }),
  )

  it(
    '404: a missing pod',
    on(async ({ api, namespace }) => {
      const { body } = await evict(api, namespace, 'none')
      const details = { name: 'none', kind: 'pods' }
      expect(body).toEqual(failure(404, 'NotFound', 'pods "none" not found', details))
    }),
  )
})

conformance('disruption budgets', (on) => {
  it(
    '422: invalid amounts and policies',
    on(async ({ api, namespace }) => {
      const reported = async (spec: object): Promise<unknown> => {
        const answer = await api.post(budgetsPath(namespace), { metadata: { name: 'b' }, spec })
        expect(answer.code).toBe(422)
        return answer.body['message']
      }
      const wrong = 'PodDisruptionBudget.policy "b" is invalid: '
      expect(await reported({ minAvailable: -1 })).toBe(
        `${wrong}spec.minAvailable: Invalid value: -1: must be greater than or equal to 0`,
      )
      expect(await reported({ minAvailable: 'many' })).toBe(
        `${wrong}spec.minAvailable: Invalid value: intstr.IntOrString{Type:1, IntVal:0, StrVal:"many"}: a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')`,
      )
      expect(await reported({ maxUnavailable: '101%' })).toBe(
        `${wrong}spec.maxUnavailable: Invalid value: intstr.IntOrString{Type:1, IntVal:0, StrVal:"101%"}: must not be greater than 100%`,
      )
      expect(await reported({ unhealthyPodEvictionPolicy: 'Never' })).toBe(
        `${wrong}spec.unhealthyPodEvictionPolicy: Unsupported value: "Never": supported values: "AlwaysAllow", "IfHealthyBudget"`,
      )
      expect(
        await reported({ selector: { matchExpressions: [{ key: 'a', operator: 'Near' }] } }),
      ).toBe(
        `${wrong}spec.selector.matchExpressions[0].operator: Invalid value: "Near": not a valid selector operator`,
      )
      // kube-apiserver prints memory addresses here.
      expect(await reported({ minAvailable: 1, maxUnavailable: 1 })).toMatch(
        /^PodDisruptionBudget.policy "b" is invalid: spec: Invalid value: policy.PodDisruptionBudgetSpec.*: minAvailable and maxUnavailable cannot be both set$/,
      )
    }),
  )

  it(
    '422: an invalid status',
    on(async ({ api, namespace }) => {
      await api.post(budgetsPath(namespace), { metadata: { name: 'b' }, spec: { minAvailable: 1 } })
      const path = `${budgetsPath(namespace)}/b/status`
      const { body } = await api.patch(path, 'merge', {
        status: {
          disruptionsAllowed: -1,
          currentHealthy: -2,
          conditions: [{ type: 'X', status: 'Maybe' }],
        },
      })
      expect(body).toMatchObject({ code: 422, reason: 'Invalid' })
      expect(body['details']).toEqual({
        name: 'b',
        group: 'policy',
        kind: 'PodDisruptionBudget',
        causes: [
          {
            reason: 'FieldValueNotSupported',
            message: 'Unsupported value: "Maybe": supported values: "False", "True", "Unknown"',
            field: 'status.conditions[0].status',
          },
          {
            reason: 'FieldValueRequired',
            message: 'Required value: must be set',
            field: 'status.conditions[0].lastTransitionTime',
          },
          {
            reason: 'FieldValueRequired',
            message: 'Required value: must be set',
            field: 'status.conditions[0].reason',
          },
          {
            reason: 'FieldValueInvalid',
            message: 'Invalid value: -1: must be greater than or equal to 0',
            field: 'status.disruptionsAllowed',
          },
          {
            reason: 'FieldValueInvalid',
            message: 'Invalid value: -2: must be greater than or equal to 0',
            field: 'status.currentHealthy',
          },
        ],
      })
    }),
  )

  it(
    'have a mutable selector',
    on(async ({ api, namespace }) => {
      const made = await api.post(budgetsPath(namespace), { metadata: { name: 'b' }, spec: {} })
      expect(made.body.status).toEqual({
        disruptionsAllowed: 0,
        currentHealthy: 0,
        desiredHealthy: 0,
        expectedPods: 0,
      })
      const spec = { minAvailable: '50%', selector: { matchLabels: { app: 'x' } } }
      const { code, body } = await api.patch(`${budgetsPath(namespace)}/b`, 'merge', { spec })
      expect(code).toBe(200)
      expect(body.metadata.generation).toBe(2)
      expect(body.spec).toEqual(spec)
    }),
  )
})
