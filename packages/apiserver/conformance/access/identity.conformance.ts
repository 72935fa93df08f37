import { expect, it } from 'vitest'
import type { Answer, Api } from '../support/api.ts'
import { conformance } from '../support/conformance.ts'
import { failure } from '../support/objects.ts'
import { account } from '../support/service-accounts.ts'

const reviews = '/apis/authentication.k8s.io/v1'
const access = '/apis/authorization.k8s.io/v1'

const review = (api: Api, token: string): Promise<Answer> =>
  api.post(`${reviews}/tokenreviews`, { spec: { token } })

conformance('identity', (on) => {
  it(
    'the token of a service account authenticates it',
    on(async ({ api, namespace }) => {
      const { uid, token, answer } = await account(api, namespace, 'robot')
      expect(answer).toMatchObject({
        kind: 'TokenRequest',
        apiVersion: 'authentication.k8s.io/v1',
        metadata: { name: 'robot', namespace },
        spec: { expirationSeconds: 600, boundObjectRef: null },
        status: { expirationTimestamp: expect.stringMatching(/Z$/) },
      })
      const claims = JSON.parse(
        Buffer.from(token.split('.')[1] ?? '', 'base64url').toString(),
      ) as Record<string, unknown>
      expect(claims).toMatchObject({
        sub: `system:serviceaccount:${namespace}:robot`,
        aud: expect.any(Array),
        'kubernetes.io': { namespace, serviceaccount: { name: 'robot', uid } },
      })
      expect(Number(claims['exp']) - Number(claims['iat'])).toBe(600)
    }),
  )

  it(
    'a token is valid for at least ten minutes',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/serviceaccounts`
      await api.post(path, { metadata: { name: 'robot' } })
      const { body } = await api.post(`${path}/robot/token`, { spec: { expirationSeconds: 60 } })
      expect(body).toMatchObject({
        code: 422,
        message:
          'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 60: may not specify a duration less than 10 minutes',
      })
    }),
  )

  it(
    '404: a token for a missing service account',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/serviceaccounts/none/token`
      const { body } = await api.post(path, { spec: {} })
      const details = { name: 'none', kind: 'serviceaccounts' }
      expect(body).toEqual(failure(404, 'NotFound', 'serviceaccounts "none" not found', details))
    }),
  )

  it(
    'a TokenReview accepts a valid token',
    on(async ({ api, namespace }) => {
      const { uid, token } = await account(api, namespace, 'robot')
      const { code, body } = await review(api, token)
      expect(code).toBe(201)
      expect(body.status).toMatchObject({
        authenticated: true,
        user: {
          username: `system:serviceaccount:${namespace}:robot`,
          uid,
          groups: [
            'system:serviceaccounts',
            `system:serviceaccounts:${namespace}`,
            'system:authenticated',
          ],
        },
      })
    }),
  )

  it(
    'a token bound to a pod names the node of the pod',
    on(async ({ api, namespace, unique }) => {
      const node = await api.post('/api/v1/nodes', { metadata: { name: unique } })
      await api.post(`/api/v1/namespaces/${namespace}/serviceaccounts`, {
        metadata: { name: 'robot' },
      })
      const pod = await api.post(`/api/v1/namespaces/${namespace}/pods`, {
        metadata: { name: 'one' },
        spec: {
          nodeName: unique,
          serviceAccountName: 'robot',
          containers: [{ name: 'a', image: 'example.org/a' }],
        },
      })
      const { uid } = pod.body.metadata
      const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name: 'one', uid }
      const { body } = await api.post(
        `/api/v1/namespaces/${namespace}/serviceaccounts/robot/token`,
        { spec: { expirationSeconds: 600, boundObjectRef } },
      )
      const { token } = body.status as { token: string }
      const reviewed = await review(api, token)
      expect(reviewed.body.status).toMatchObject({
        user: {
          extra: {
            'authentication.kubernetes.io/node-name': [unique],
            'authentication.kubernetes.io/node-uid': [node.body.metadata.uid],
            'authentication.kubernetes.io/pod-name': ['one'],
            'authentication.kubernetes.io/pod-uid': [uid],
          },
        },
      })
    }),
  )

  it(
    'a TokenReview rejects an invalid token',
    on(async ({ api }) => {
      const { code, body } = await review(api, 'made-up')
      expect(code).toBe(201)
      expect(body.status).toEqual({ user: {}, error: 'invalid bearer token' })
    }),
  )

  it(
    'a token for another audience is rejected',
    on(async ({ api, namespace }) => {
      const { token } = await account(api, namespace, 'robot', { audiences: ['elsewhere'] })
      const { code } = await api.withToken(token).get('/api/v1/nodes')
      expect(code).toBe(401)
      const reviewed = await api.post(`${reviews}/tokenreviews`, {
        spec: { token, audiences: ['elsewhere'] },
      })
      expect(reviewed.body.status).toMatchObject({ authenticated: true, audiences: ['elsewhere'] })
    }),
  )

  it(
    'a token is invalid after its service account is deleted',
    on(async ({ api, namespace }) => {
      const { token: first } = await account(api, namespace, 'robot')
      const me = api.withToken(first)
      expect((await me.post(`${reviews}/selfsubjectreviews`, {})).code).toBe(201)
      const path = `/api/v1/namespaces/${namespace}/serviceaccounts/robot`
      // A token that was never used: a server may cache a previous authentication for a while.
      const { body } = await api.post(`${path}/token`, { spec: {} })
      const { token } = body.status as { token: string }
      await api.delete(path)
      await expect
        .poll(async () => (await review(api, token)).body.status['authenticated'] ?? false, {
          timeout: 30_000,
        })
        .toBe(false)
    }),
  )

  it(
    'every user can create a SelfSubjectReview',
    on(async ({ api, namespace }) => {
      const { token } = await account(api, namespace, 'robot')
      const { code, body } = await api.withToken(token).post(`${reviews}/selfsubjectreviews`, {})
      expect(code).toBe(201)
      expect(body.status).toMatchObject({
        userInfo: { username: `system:serviceaccount:${namespace}:robot` },
      })
    }),
  )

  it(
    'users can be impersonated',
    on(async ({ api }) => {
      const jane = { 'impersonate-user': 'jane', 'impersonate-group': 'testers' }
      const { body } = await api.post(`${reviews}/selfsubjectreviews`, {}, jane)
      expect(body.status).toEqual({
        userInfo: { username: 'jane', groups: ['testers', 'system:authenticated'] },
      })
      const rejected = await api.get('/api/v1/nodes', jane)
      expect(rejected.body).toEqual(
        failure(
          403,
          'Forbidden',
          'nodes is forbidden: User "jane" cannot list resource "nodes" in API group "" at the cluster scope',
          { kind: 'nodes' },
        ),
      )
      const master = { ...jane, 'impersonate-group': 'system:masters' }
      expect((await api.get('/api/v1/nodes', master)).code).toBe(200)
    }),
  )

  it(
    '403: impersonation requires permission',
    on(async ({ api, namespace }) => {
      const { token } = await account(api, namespace, 'robot')
      const { body } = await api
        .withToken(token)
        .get('/api/v1/nodes', { 'impersonate-user': 'jane' })
      expect(body).toEqual(
        failure(
          403,
          'Forbidden',
          `users "jane" is forbidden: User "system:serviceaccount:${namespace}:robot" cannot impersonate resource "users" in API group "" at the cluster scope`,
          { name: 'jane', kind: 'users' },
        ),
      )
    }),
  )
})

conformance('bootstrap tokens', (on) => {
  const secrets = '/api/v1/namespaces/kube-system/secrets'
  const join = (id: string, data: object = {}): object => ({
    metadata: { name: `bootstrap-token-${id}` },
    type: 'bootstrap.kubernetes.io/token',
    stringData: {
      'token-id': id,
      'token-secret': 'abcdef0123456789',
      'usage-bootstrap-authentication': 'true',
      ...data,
    },
  })
  const whoIs = async (api: Api, token: string): Promise<unknown> => {
    const { code, body } = await api.withToken(token).post(`${reviews}/selfsubjectreviews`, {})
    return code === 201 ? body.status['userInfo'] : code
  }
  const eventually = async (api: Api, token: string, who: unknown): Promise<void> => {
    await expect.poll(() => whoIs(api, token), { timeout: 30_000 }).toEqual(who)
  }

  it(
    'authenticate a joining machine',
    on(async ({ api, unique }) => {
      const id = unique.slice(0, 6)
      const groups = 'system:bootstrappers:kubeadm:default-node-token'
      const made = await api.post(secrets, join(id, { 'auth-extra-groups': groups }))
      expect(made.code).toBe(201)
      await eventually(api, `${id}.abcdef0123456789`, {
        username: `system:bootstrap:${id}`,
        groups: ['system:bootstrappers', groups, 'system:authenticated'],
      })
      expect(await whoIs(api, `${id}.abcdef012345678x`)).toBe(401)
      await api.delete(`${secrets}/bootstrap-token-${id}`)
    }),
  )

  it(
    '401: expired tokens, tokens for other uses, and tokens with forbidden groups',
    on(async ({ api, unique }) => {
      const wrong = [
        { expiration: '2020-01-01T00:00:00Z' },
        { 'usage-bootstrap-authentication': 'false' },
        { 'auth-extra-groups': 'system:masters' },
        { 'token-id': 'zzzzzz' },
      ].map((data, i) => ({ id: `${unique.slice(0, 5)}${i}`, data }))
      for (const { id, data } of wrong) {
        expect((await api.post(secrets, join(id, data))).code).toBe(201)
      }
      // Once this token is known, the others are too.
      const id = unique.slice(2, 8)
      const token = `${id}.abcdef0123456789`
      await api.post(secrets, join(id))
      await eventually(api, token, expect.objectContaining({ username: `system:bootstrap:${id}` }))
      for (const each of wrong) {
        const reported = await whoIs(api, `${each.id}.abcdef0123456789`)
        expect([each.data, reported]).toEqual([each.data, 401])
      }
    }),
  )
})

conformance('access reviews', (on) => {
  const nodes = { resourceAttributes: { verb: 'list', resource: 'nodes' } }

  it(
    'of the requesting user',
    on(async ({ api, namespace }) => {
      const { code, body } = await api.post(`${access}/selfsubjectaccessreviews`, { spec: nodes })
      expect(code).toBe(201)
      expect(body).toMatchObject({ kind: 'SelfSubjectAccessReview', status: { allowed: true } })
      const { token } = await account(api, namespace, 'robot')
      const robot = api.withToken(token)
      const mine = await robot.post(`${access}/selfsubjectaccessreviews`, { spec: nodes })
      expect(mine.body.status).toEqual({ allowed: false })
    }),
  )

  it(
    'of another user',
    on(async ({ api }) => {
      const requested = async (spec: object): Promise<unknown> =>
        (await api.post(`${access}/subjectaccessreviews`, { spec })).body.status
      expect(await requested({ user: 'u', groups: ['g'], ...nodes })).toEqual({ allowed: false })
      expect(await requested({ user: 'u', groups: ['system:masters'], ...nodes })).toEqual({
        allowed: true,
      })
      const version = { nonResourceAttributes: { verb: 'get', path: '/version' } }
      expect(
        await requested({ user: 'u', groups: ['system:authenticated'], ...version }),
      ).toMatchObject({
        allowed: true,
      })
    }),
  )

  it(
    '422: without attributes',
    on(async ({ api }) => {
      const { body } = await api.post(`${access}/selfsubjectaccessreviews`, { spec: {} })
      expect(body).toMatchObject({ code: 422, reason: 'Invalid' })
    }),
  )

  it(
    'in a namespace',
    on(async ({ api, namespace }) => {
      const path = `${access}/namespaces/${namespace}/localsubjectaccessreviews`
      const { body } = await api.post(path, {
        metadata: { namespace },
        spec: {
          user: 'u',
          resourceAttributes: { namespace, verb: 'get', resource: 'pods' },
        },
      })
      expect(body.status).toEqual({ allowed: false })
    }),
  )

  it(
    'SelfSubjectRulesReview lists all rules, without the spec',
    on(async ({ api, namespace }) => {
      const { token } = await account(api, namespace, 'robot')
      const path = `${access}/selfsubjectrulesreviews`
      const { code, body } = await api.withToken(token).post(path, { spec: { namespace } })
      expect(code).toBe(201)
      expect(body).toMatchObject({
        kind: 'SelfSubjectRulesReview',
        apiVersion: 'authorization.k8s.io/v1',
        metadata: { creationTimestamp: null },
        spec: {},
        status: { incomplete: false },
      })
      expect(body.spec).toEqual({})
      expect(body.status['resourceRules']).toContainEqual({
        verbs: ['create'],
        apiGroups: ['authorization.k8s.io'],
        resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
      })
      for (const spec of [{}, { namespace: '' }]) {
        const nowhere = await api.withToken(token).post(path, { spec })
        expect(nowhere.body).toEqual(failure(400, 'BadRequest', 'no namespace on request'))
      }
    }),
  )
})
