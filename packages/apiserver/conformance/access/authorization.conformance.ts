import { expect, it } from 'vitest'
import type { Api } from '../support/api.ts'
import { conformance } from '../support/conformance.ts'
import { configMap, failure } from '../support/objects.ts'
import { account } from '../support/service-accounts.ts'
import { brief } from '../support/watching.ts'

const rbac = '/apis/rbac.authorization.k8s.io/v1'
const group = 'rbac.authorization.k8s.io'

/** A service account with these rules in its namespace. */
async function robotWith(api: Api, namespace: string, rules: object[]): Promise<Api> {
  const path = `${rbac}/namespaces/${namespace}`
  await api.post(`${path}/roles`, { metadata: { name: 'robot' }, rules })
  await api.post(`${path}/rolebindings`, {
    metadata: { name: 'robot' },
    roleRef: { apiGroup: group, kind: 'Role', name: 'robot' },
    subjects: [{ kind: 'ServiceAccount', name: 'robot', namespace }],
  })
  const { token } = await account(api, namespace, 'robot')
  return api.withToken(token)
}

const reader = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }]

conformance('authorization', (on) => {
  it(
    'a role grants its permissions within a short time',
    on(async ({ api, namespace }) => {
      const robot = await robotWith(api, namespace, reader)
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      await expect.poll(async () => (await robot.get(path)).code, { timeout: 30_000 }).toBe(200)
    }),
  )

  it(
    '403: a role grants nothing else',
    on(async ({ api, namespace }) => {
      const robot = await robotWith(api, namespace, reader)
      const who = `system:serviceaccount:${namespace}:robot`
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      const created = await robot.post(path, configMap('a'))
      expect(created.body).toEqual(
        failure(
          403,
          'Forbidden',
          `configmaps is forbidden: User "${who}" cannot create resource "configmaps" in API group "" in the namespace "${namespace}"`,
          { kind: 'configmaps' },
        ),
      )
      const removed = await robot.delete(`${path}/a`)
      expect(removed.body).toEqual(
        failure(
          403,
          'Forbidden',
          `configmaps "a" is forbidden: User "${who}" cannot delete resource "configmaps" in API group "" in the namespace "${namespace}"`,
          { name: 'a', kind: 'configmaps' },
        ),
      )
      const everywhere = await robot.get('/api/v1/configmaps')
      expect(everywhere.body['message']).toBe(
        `configmaps is forbidden: User "${who}" cannot list resource "configmaps" in API group "" at the cluster scope`,
      )
      const nodeStatus = await robot.patch('/api/v1/nodes/n/status', 'merge', {})
      expect(nodeStatus.body['message']).toBe(
        `nodes "n" is forbidden: User "${who}" cannot patch resource "nodes/status" in API group "" at the cluster scope`,
      )
      const path404 = await robot.get('/metrics')
      expect(path404.body).toEqual(
        failure(403, 'Forbidden', `forbidden: User "${who}" cannot get path "/metrics"`, {}),
      )
    }),
  )

  it(
    'resourceNames restrict a role',
    on(async ({ api, namespace }) => {
      const robot = await robotWith(api, namespace, [
        { apiGroups: [''], resources: ['configmaps'], resourceNames: ['mine'], verbs: ['get'] },
      ])
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      await api.post(path, configMap('mine'))
      await api.post(path, configMap('other'))
      await expect
        .poll(async () => (await robot.get(`${path}/mine`)).code, { timeout: 30_000 })
        .toBe(200)
      expect((await robot.get(`${path}/other`)).code).toBe(403)
      expect((await robot.get(path)).code).toBe(403)
    }),
  )

  it(
    'a field selector for a name satisfies a role with resourceNames',
    on(async ({ api, namespace }) => {
      const robot = await robotWith(api, namespace, [
        {
          apiGroups: [''],
          resources: ['configmaps'],
          resourceNames: ['mine'],
          verbs: ['get', 'list', 'watch', 'deletecollection'],
        },
      ])
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      await api.post(path, configMap('mine'))
      await api.post(path, configMap('other'))
      const mine = 'fieldSelector=metadata.name%3Dmine'
      await expect
        .poll(async () => (await robot.get(`${path}?${mine}`)).code, { timeout: 30_000 })
        .toBe(200)
      const list = await robot.get(`${path}?${mine}`)
      expect(list.body.items.map(({ metadata }) => metadata.name)).toEqual(['mine'])
      const watch = await robot.watch(`${path}?watch=true&${mine}`)
      expect(brief(await watch.take(1))).toEqual(['ADDED mine'])
      watch.close()
      const other = await robot.get(`${path}?fieldSelector=metadata.name%3Dother`)
      expect(other.body).toMatchObject({ code: 403, details: { name: 'other' } })
      expect((await robot.get(`${path}?fieldSelector=metadata.name!%3Dmine`)).code).toBe(403)
      // deletecollection is a permission of its own.
      const removed = await robot.delete(`${path}?${mine}`)
      expect(removed.body).toMatchObject({ code: 403, details: { kind: 'configmaps' } })
      expect(removed.body['details']).not.toHaveProperty('name')
    }),
  )

  it(
    '403: users cannot grant permissions that they do not have',
    on(async ({ api, namespace }) => {
      const robot = await robotWith(api, namespace, [
        ...reader,
        { apiGroups: [group], resources: ['roles'], verbs: ['list', 'create'] },
      ])
      const path = `${rbac}/namespaces/${namespace}/roles`
      await expect.poll(async () => (await robot.get(path)).code, { timeout: 30_000 }).toBe(200)
      const allowed = await robot.post(path, { metadata: { name: 'less' }, rules: reader })
      expect(allowed.code).toBe(201)
      const { code, body } = await robot.post(path, {
        metadata: { name: 'more' },
        rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }],
      })
      expect(code).toBe(403)
      expect(body['message']).toContain(
        'is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}',
      )
    }),
  )

  it(
    'the role of a binding is immutable',
    on(async ({ api, namespace }) => {
      await robotWith(api, namespace, reader)
      const path = `${rbac}/namespaces/${namespace}/rolebindings/robot`
      const { body } = await api.patch(path, 'merge', { roleRef: { name: 'other' } })
      expect(body).toMatchObject({ code: 422 })
      expect(body['message']).toContain('cannot change roleRef')
    }),
  )

  it(
    'the default cluster roles exist',
    on(async ({ api }) => {
      const { body } = await api.get(`${rbac}/clusterroles/cluster-admin`)
      expect(body['rules']).toEqual([
        { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
        { verbs: ['*'], nonResourceURLs: ['*'] },
      ])
      expect(body.metadata.labels).toEqual({ 'kubernetes.io/bootstrapping': 'rbac-defaults' })
      const binding = await api.get(`${rbac}/clusterrolebindings/cluster-admin`)
      expect(binding.body['subjects']).toEqual([
        { kind: 'Group', apiGroup: group, name: 'system:masters' },
      ])
    }),
  )

  it(
    'every user can use discovery',
    on(async ({ api, namespace }) => {
      const { token } = await account(api, namespace, 'robot')
      const robot = api.withToken(token)
      for (const path of ['/api', '/apis', '/api/v1', '/version', '/openapi/v3', '/readyz']) {
        const { code } = await robot.get(path)
        expect(`${path} ${code}`).toBe(`${path} 200`)
      }
      expect((await api.as({}).get('/version')).code).toBe(200)
      expect((await api.as({}).get('/api')).code).toBe(403)
    }),
  )
})
