import { expect, it } from 'vitest'
import { conformance } from '../support/conformance.ts'
import { configMap, node, pod } from '../support/objects.ts'
import { serveWidgets, widget } from '../support/widgets.ts'

conformance('writes', (on) => {
  it(
    'a new object gets metadata',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      const { code, body } = await api.post(
        `${path}?fieldManager=tester`,
        configMap('a', { x: '1' }),
      )
      expect(code).toBe(201)
      expect(body).toEqual({
        kind: 'ConfigMap',
        apiVersion: 'v1',
        metadata: {
          name: 'a',
          namespace,
          uid: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
          resourceVersion: expect.stringMatching(/^\d+$/),
          creationTimestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
          managedFields: [
            {
              manager: 'tester',
              operation: 'Update',
              apiVersion: 'v1',
              time: body.metadata.creationTimestamp,
              fieldsType: 'FieldsV1',
              fieldsV1: { 'f:data': { '.': {}, 'f:x': {} } },
            },
          ],
        },
        data: { x: '1' },
      })
      expect((await api.get(`${path}/a`)).body).toEqual(body)
    }),
  )

  it(
    'server-side metadata of the client is ignored',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      const claimed = {
        uid: 'mine',
        generation: 7,
        creationTimestamp: '2001-01-01T00:00:00Z',
        selfLink: '/x',
      }
      const { body } = await api.post(path, configMap('a', {}, claimed))
      expect(body.metadata.uid).not.toBe('mine')
      expect(body.metadata.creationTimestamp).not.toBe('2001-01-01T00:00:00Z')
      const versioned = await api.post(path, configMap('b', {}, { resourceVersion: '1' }))
      expect(versioned.body).toMatchObject({
        code: 500,
        message: 'resourceVersion should not be set on objects to be created',
      })
    }),
  )

  it(
    'generateName appends five characters',
    on(async ({ api, namespace }) => {
      const { body } = await api.post(`/api/v1/namespaces/${namespace}/configmaps`, {
        metadata: { generateName: 'many-' },
      })
      expect(body.metadata.name).toMatch(/^many-[bcdfghjklmnpqrstvwxz2456789]{5}$/)
      expect(body.metadata.generateName).toBe('many-')
    }),
  )

  it(
    'a write without changes keeps the resourceVersion',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      const made = await api.post(path, configMap('a', { x: '1' }))
      const put = await api.put(`${path}/a`, made.body)
      expect(put.code).toBe(200)
      expect(put.body).toEqual(made.body)
      const patched = await api.patch(`${path}/a`, 'merge', { data: { x: '1' } })
      expect(patched.body).toEqual(made.body)
    }),
  )

  it(
    'a write without a resourceVersion updates the newest version',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      const made = await api.post(path, configMap('a', { x: '1' }))
      const put = await api.put(`${path}/a`, configMap('a', { x: '2' }))
      expect(put.code).toBe(200)
      expect(put.body.metadata.uid).toBe(made.body.metadata.uid)
      expect(put.body.metadata.creationTimestamp).toBe(made.body.metadata.creationTimestamp)
      expect(Number(put.body.metadata.resourceVersion)).toBeGreaterThan(
        Number(made.body.metadata.resourceVersion),
      )
    }),
  )

  it(
    '404: replacing a missing object',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      const { code, body } = await api.put(`${path}/a`, configMap('a'))
      expect(code).toBe(404)
      expect(body['message']).toBe('configmaps "a" not found')
      // Some kinds can be created by a PUT.
      const leases = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`
      const lease = await api.put(`${leases}/l`, { metadata: { name: 'l' }, spec: {} })
      expect(lease.code).toBe(201)
    }),
  )

  it(
    'some kinds can be created by PUT',
    on(async ({ api, namespace, unique }) => {
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'x' }
      const rights = '/apis/rbac.authorization.k8s.io/v1'
      const inside = `/api/v1/namespaces/${namespace}`
      for (const [path, rest] of [
        [`${inside}/services/x`, { spec: { ports: [{ port: 80 }] } }],
        [`${inside}/events/x`, { involvedObject: { namespace } }],
        [`${rights}/namespaces/${namespace}/roles/x`, { rules: [] }],
        [`${rights}/namespaces/${namespace}/rolebindings/x`, { roleRef }],
        [`${rights}/clusterroles/${unique}`, { rules: [] }],
        [`${rights}/clusterrolebindings/${unique}`, { roleRef }],
      ] as const) {
        const metadata = { name: path.split('/').at(-1) }
        expect((await api.put(path, { metadata, ...rest })).code).toBe(201)
        expect((await api.put(path, { metadata, ...rest })).code).toBe(200)
      }
      const spec = { containers: [{ name: 'a', image: 'b' }] }
      for (const [path, rest] of [
        [`${inside}/secrets/x`, {}],
        [`${inside}/serviceaccounts/x`, {}],
        [`${inside}/pods/x`, { spec }],
        [`/api/v1/nodes/${unique}`, {}],
      ] as const) {
        const metadata = { name: path.split('/').at(-1) }
        expect((await api.put(path, { metadata, ...rest })).code).toBe(404)
      }
    }),
  )

  it(
    '403: creating by PUT requires the create permission',
    on(async ({ api, namespace, unique }) => {
      const rights = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`
      const rules = [
        { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['update', 'patch'] },
      ]
      await api.post(`${rights}/roles`, { metadata: { name: 'r' }, rules })
      await api.post(`${rights}/rolebindings`, {
        metadata: { name: 'r' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
        subjects: [{ kind: 'User', name: unique, apiGroup: 'rbac.authorization.k8s.io' }],
      })
      const leases = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`
      const lease = { metadata: { name: 'l' }, spec: {} }
      const put = (): ReturnType<typeof api.put> =>
        api.ask(`${leases}/l`, {
          method: 'PUT',
          body: lease,
          headers: { 'impersonate-user': unique },
        })
      await expect
        .poll(async () => (await put()).body['message'], { timeout: 30_000 })
        .toBe(
          `leases.coordination.k8s.io "l" is forbidden: User "${unique}" cannot create resource "leases" in API group "coordination.k8s.io" in the namespace "${namespace}"`,
        )
      expect((await api.get(`${leases}/l`)).code).toBe(404)
    }),
  )

  it(
    '409: replacing another object of the same name',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      await api.post(path, configMap('a'))
      const uid = '00000000-0000-0000-0000-000000000000'
      const { body } = await api.put(`${path}/a`, configMap('a', {}, { uid }))
      expect(body).toMatchObject({ code: 409, reason: 'Conflict' })
      expect(body['message']).toMatch(
        /^Operation cannot be fulfilled on configmaps "a": .*Precondition failed: UID in precondition: 00000000-0000-0000-0000-000000000000, UID in object meta: [-0-9a-f]{36}$/,
      )
    }),
  )

  it(
    'a dry run returns the result and stores nothing',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      const dry = await api.post(`${path}?dryRun=All`, configMap('a'))
      expect(dry.code).toBe(201)
      expect(dry.body.metadata.uid).toBeDefined()
      expect(dry.body.metadata.resourceVersion).toBeUndefined()
      expect((await api.get(`${path}/a`)).code).toBe(404)
      await api.post(path, configMap('a', { x: '1' }))
      expect(
        (await api.put(`${path}/a?dryRun=All`, configMap('a', { x: '2' }))).body['data'],
      ).toEqual({ x: '2' })
      expect((await api.delete(`${path}/a?dryRun=All`)).code).toBe(200)
      expect((await api.get(`${path}/a`)).body['data']).toEqual({ x: '1' })
    }),
  )

  it(
    'the generation counts changes of the spec',
    on(async ({ api, namespace, unique }) => {
      const { path } = await serveWidgets(api, unique, namespace)
      const made = await api.post(path, widget(unique, 'w', { size: 1 }))
      expect(made.body.metadata.generation).toBe(1)
      const generationAfter = async (to: string, patch: object): Promise<number | undefined> =>
        (await api.patch(`${path}/${to}`, 'merge', patch)).body.metadata.generation
      expect(await generationAfter('w', { metadata: { labels: { a: 'b' } } })).toBe(1)
      expect(await generationAfter('w/status', { status: { observed: 1 } })).toBe(1)
      expect(await generationAfter('w', { spec: { size: 2 } })).toBe(2)
      expect(await generationAfter('w', { spec: { size: 2 } })).toBe(2)
    }),
  )

  it(
    'the main resource ignores status, and /status ignores the rest',
    on(async ({ api, namespace, unique }) => {
      const { path } = await serveWidgets(api, unique, namespace)
      const made = await api.post(path, { ...widget(unique, 'w'), status: { observed: 9 } })
      expect(made.body).not.toHaveProperty('status')
      const main = await api.patch(`${path}/w`, 'merge', {
        spec: { size: 2 },
        status: { observed: 9 },
      })
      expect(main.body).not.toHaveProperty('status')
      const status = await api.patch(`${path}/w/status`, 'merge', {
        metadata: { labels: { a: 'b' } },
        spec: { size: 5 },
        status: { observed: 1 },
      })
      expect(status.body.spec).toEqual({ size: 2 })
      expect(status.body.status).toEqual({ observed: 1 })
      expect(status.body.metadata.labels).toBeUndefined()
    }),
  )

  it(
    'the status of a Node is a subresource',
    on(async ({ api, unique }) => {
      await api.post('/api/v1/nodes', node(unique))
      const conditions = [{ type: 'Ready', status: 'True' }]
      const path = `/api/v1/nodes/${unique}`
      const main = await api.patch(path, 'merge', { status: { conditions } })
      expect(main.body.status).not.toHaveProperty('conditions')
      const status = await api.patch(`${path}/status`, 'merge', {
        spec: { unschedulable: true },
        status: { conditions },
      })
      expect(status.body.spec).not.toHaveProperty('unschedulable')
      expect(status.body.status['conditions']).toMatchObject(conditions)
    }),
  )

  it(
    'a new Node has the not-ready taint',
    on(async ({ api, unique }) => {
      const { body } = await api.post('/api/v1/nodes', node(unique))
      expect(body.spec).toEqual({
        taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }],
      })
    }),
  )

  it(
    'a pod is defaulted, and its spec is immutable',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/pods`
      const { body } = await api.post(path, pod('p'))
      expect(body.spec).toMatchObject({
        restartPolicy: 'Always',
        terminationGracePeriodSeconds: 30,
        dnsPolicy: 'ClusterFirst',
      })
      expect(body.status).toMatchObject({ phase: 'Pending' })
      const moved = await api.patch(`${path}/p`, 'merge', { spec: { nodeName: 'elsewhere' } })
      expect(moved.code).toBe(422)
    }),
  )

  it(
    'an immutable ConfigMap cannot change',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      await api.post(path, { ...configMap('a', { x: '1' }), immutable: true })
      const { body } = await api.patch(`${path}/a`, 'merge', { data: { x: '2' } })
      expect(body).toMatchObject({
        code: 422,
        message:
          'ConfigMap "a" is invalid: data: Forbidden: field is immutable when `immutable` is set',
      })
    }),
  )

  it(
    'a Secret encodes stringData',
    on(async ({ api, namespace }) => {
      const { body } = await api.post(`/api/v1/namespaces/${namespace}/secrets`, {
        metadata: { name: 's' },
        stringData: { password: 'hunter2' },
      })
      expect(body).toMatchObject({ data: { password: 'aHVudGVyMg==' }, type: 'Opaque' })
      expect(body).not.toHaveProperty('stringData')
    }),
  )
})
