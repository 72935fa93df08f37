import { expect, it } from 'vitest'
import { until } from '@machinist/testing/until'
import { conformance } from '../support/conformance.ts'
import { configMap, failure, pod } from '../support/objects.ts'
import { serveWidgets, widget } from '../support/widgets.ts'

conformance('deletion', (on) => {
  it(
    'returns a Status',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      const made = await api.post(path, configMap('a'))
      const { code, body } = await api.delete(`${path}/a`)
      expect(code).toBe(200)
      expect(body).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Success',
        details: { name: 'a', kind: 'configmaps', uid: made.body.metadata.uid },
      })
      expect((await api.delete(`${path}/a`)).body).toEqual(
        failure(404, 'NotFound', 'configmaps "a" not found', { name: 'a', kind: 'configmaps' }),
      )
    }),
  )

  it(
    'waits for finalizers',
    on(async ({ api, namespace, unique }) => {
      const { path } = await serveWidgets(api, unique, namespace)
      const held = widget(unique, 'w')
      await api.post(path, {
        ...held,
        metadata: { name: 'w', finalizers: ['example.org/hold'] },
      })
      const leaving = await api.delete(`${path}/w`)
      expect(leaving.code).toBe(200)
      expect(leaving.body).toMatchObject({
        kind: 'Widget',
        metadata: {
          generation: 2,
          deletionGracePeriodSeconds: 0,
          deletionTimestamp: expect.stringMatching(/Z$/),
        },
      })
      const again = await api.delete(`${path}/w`)
      expect(again.body.metadata.deletionTimestamp).toBe(leaving.body.metadata.deletionTimestamp)
      const added = await api.patch(`${path}/w`, 'merge', {
        metadata: { finalizers: ['example.org/hold', 'example.org/more'] },
      })
      expect(added.body).toMatchObject({ code: 422, reason: 'Invalid' })
      expect(added.body['message']).toContain(
        'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted',
      )
      const last = await api.patch(`${path}/w`, 'merge', { metadata: { finalizers: null } })
      expect(last.code).toBe(200)
      expect((await api.get(`${path}/w`)).code).toBe(404)
    }),
  )

  it(
    'keeps the deletionTimestamp of an object that is being deleted',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      await api.post(path, configMap('a', {}, { finalizers: ['example.org/hold'] }))
      await api.delete(`${path}/a`)
      const patched = await api.patch(`${path}/a`, 'merge', {
        metadata: { deletionTimestamp: null },
        data: { x: '1' },
      })
      expect(patched.body.metadata.deletionTimestamp).toBeDefined()
      expect(patched.body['data']).toEqual({ x: '1' })
    }),
  )

  it(
    'checks preconditions',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      const made = await api.post(path, configMap('a'))
      const { uid, resourceVersion } = made.body.metadata
      const other = '00000000-0000-0000-0000-000000000000'
      const byUid = await api.delete(`${path}/a`, { preconditions: { uid: other } })
      expect(byUid.body).toEqual(
        failure(
          409,
          'Conflict',
          `Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition (${other}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
          { name: 'a', kind: 'ConfigMap' },
        ),
      )
      const byVersion = await api.delete(`${path}/a`, { preconditions: { resourceVersion: '1' } })
      expect(byVersion.body['message']).toBe(
        `Operation cannot be fulfilled on ConfigMap "a": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
      )
      const right = await api.delete(`${path}/a`, { preconditions: { uid, resourceVersion } })
      expect(right.code).toBe(200)
    }),
  )

  it(
    'of a collection uses selectors',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      await api.post(path, configMap('a', {}, { labels: { colour: 'red' } }))
      await api.post(path, configMap('b', {}, { labels: { colour: 'blue' } }))
      const { code, body } = await api.delete(`${path}?labelSelector=colour%3Dred`)
      expect(code).toBe(200)
      expect(body.kind).toBe('ConfigMapList')
      const left = (await api.get(path)).body.items.map(({ metadata }) => metadata.name)
      expect(left).toEqual(['b'])
    }),
  )

  it(
    'of a running pod has a grace period',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/pods`
      await api.post(path, pod('p', {}, { nodeName: 'somewhere' }))
      const leaving = await api.delete(`${path}/p`)
      expect(leaving.body).toMatchObject({
        kind: 'Pod',
        metadata: { deletionGracePeriodSeconds: 30 },
      })
      const now = await api.delete(`${path}/p`, { gracePeriodSeconds: 0 })
      expect(now.body.kind).toBe('Pod')
      expect((await api.get(`${path}/p`)).code).toBe(404)
    }),
  )

  it(
    'of an unscheduled pod is immediate',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/pods`
      await api.post(path, pod('p'))
      const gone = await api.delete(`${path}/p`)
      expect(gone.body.kind).toBe('Pod')
      expect((await api.get(`${path}/p`)).code).toBe(404)
    }),
  )

  it(
    'foreground and orphan propagation set finalizers',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      const leaving = async (name: string, propagationPolicy: string): Promise<unknown> => {
        // A second finalizer keeps a garbage collector from finishing before this case.
        await api.post(path, configMap(name, {}, { finalizers: ['example.org/hold'] }))
        const { body } = await api.delete(`${path}/${name}`, { propagationPolicy })
        return body.metadata.finalizers
      }
      expect(await leaving('f', 'Foreground')).toEqual(['example.org/hold', 'foregroundDeletion'])
      expect(await leaving('o', 'Orphan')).toEqual(['example.org/hold', 'orphan'])
      expect(await leaving('b', 'Background')).toEqual(['example.org/hold'])
    }),
  )

  it(
    'supports the deprecated orphanDependents',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      const leaving = async (name: string, body: object, query = ''): Promise<unknown> => {
        await api.post(path, configMap(name, {}, { finalizers: ['example.org/hold', 'orphan'] }))
        const answer = await api.delete(`${path}/${name}${query}`, body)
        return answer.body.metadata.finalizers
      }
      expect(await leaving('o', { orphanDependents: true })).toEqual(['example.org/hold', 'orphan'])
      expect(await leaving('b', { orphanDependents: false })).toEqual(['example.org/hold'])
      await api.post(path, configMap('both'))
      const { body } = await api.delete(
        `${path}/both?orphanDependents=true&propagationPolicy=Orphan`,
      )
      expect(body).toMatchObject({
        code: 422,
        message:
          'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set',
      })
    }),
  )

  it(
    'uses the query only without a body',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      await api.post(path, configMap('a'))
      expect((await api.delete(`${path}/a?dryRun=All`)).code).toBe(200)
      expect((await api.get(`${path}/a`)).code).toBe(200)
      const query = '?dryRun=All&propagationPolicy=Sideways'
      expect((await api.delete(`${path}/a${query}`, { gracePeriodSeconds: 0 })).code).toBe(200)
      expect((await api.get(`${path}/a`)).code).toBe(404)
    }),
  )

  it(
    'a negative grace period is one second',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/pods`
      await api.post(path, pod('p', {}, { nodeName: 'somewhere' }))
      const { body } = await api.delete(`${path}/p`, { gracePeriodSeconds: -5 })
      expect(body.metadata.deletionGracePeriodSeconds).toBe(1)
    }),
  )

  it(
    '422: an unknown propagation policy',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      await api.post(path, configMap('a'))
      const { body } = await api.delete(`${path}/a`, { propagationPolicy: 'Sideways' })
      expect(body).toMatchObject({
        code: 422,
        message:
          'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "Sideways": supported values: "Foreground", "Background", "Orphan", "nil"',
      })
    }),
  )

  it(
    '500: options of the wrong type',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      await api.post(path, configMap('a'))
      const reported = async (options: object): Promise<unknown> => {
        const { code, body } = await api.delete(`${path}/a`, options)
        expect(code).toBe(500)
        expect(body).not.toHaveProperty('reason')
        return body['message']
      }
      const into = 'into Go struct field'
      expect(await reported({ gracePeriodSeconds: 'x' })).toBe(
        `json: cannot unmarshal string ${into} DeleteOptions.gracePeriodSeconds of type int64`,
      )
      expect(await reported({ dryRun: 'All' })).toBe(
        `json: cannot unmarshal string ${into} DeleteOptions.dryRun of type []string`,
      )
      expect(await reported({ preconditions: { uid: 3 } })).toBe(
        `json: cannot unmarshal number ${into} Preconditions.preconditions.uid of type types.UID`,
      )
      expect((await api.get(`${path}/a`)).code).toBe(200)
    }),
  )
})

conformance('namespaces', (on) => {
  it(
    'are created active, with a finalizer and a label',
    on(async ({ api, namespace }) => {
      const { body } = await api.get(`/api/v1/namespaces/${namespace}`)
      expect(body.metadata.labels).toEqual({ 'kubernetes.io/metadata.name': namespace })
      expect(body.spec).toEqual({ finalizers: ['kubernetes'] })
      expect(body.status).toEqual({ phase: 'Active' })
    }),
  )

  it(
    'the four system namespaces exist',
    on(async ({ api }) => {
      const expected = ['default', 'kube-node-lease', 'kube-public', 'kube-system']
      const names = async (): Promise<string[]> =>
        (await api.get('/api/v1/namespaces')).body.items.map(({ metadata }) => metadata.name)
      await until('they are made', async () => {
        const there = await names()
        return expected.every((name) => there.includes(name))
      })
      expect(await names()).toEqual(expect.arrayContaining(expected))
    }),
  )

  it(
    '403: reject new objects while terminating',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      await api.post(path, configMap('held', {}, { finalizers: ['example.org/hold'] }))
      const ending = await api.delete(`/api/v1/namespaces/${namespace}`)
      expect(ending.body).toMatchObject({ kind: 'Namespace', status: { phase: 'Terminating' } })
      const { body } = await api.post(path, configMap('late'))
      expect(body).toEqual(
        failure(
          403,
          'Forbidden',
          `configmaps "late" is forbidden: unable to create new content in namespace ${namespace} because it is being terminated`,
          {
            name: 'late',
            kind: 'configmaps',
            causes: [
              {
                reason: 'NamespaceTerminating',
                message: `namespace ${namespace} is being terminated`,
                field: 'metadata.namespace',
              },
            ],
          },
        ),
      )
    }),
  )

  it(
    '403: the default namespace cannot be deleted',
    on(async ({ api }) => {
      const { code, body } = await api.delete('/api/v1/namespaces/default')
      expect(code).toBe(403)
      expect(body['message']).toBe(
        'namespaces "default" is forbidden: this namespace may not be deleted',
      )
    }),
  )

  it(
    'are removed after their finalizer',
    on(async ({ api, namespace }) => {
      await api.delete(`/api/v1/namespaces/${namespace}`)
      const path = `/api/v1/namespaces/${namespace}`
      await api.put(`${path}/finalize`, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: namespace },
        spec: { finalizers: [] },
      })
      await until('it is gone', async () => (await api.get(path)).code === 404)
      expect((await api.get(path)).body['message']).toBe(`namespaces "${namespace}" not found`)
    }),
  )
})
