import { expect, it } from 'vitest'
import { conformance } from './conformance.ts'
import { configMap, failure } from './objects.ts'
import { serveWidgets, widget } from './widgets.ts'

const qualifiedName =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"

conformance('validation', (on) => {
  it(
    '422: bad metadata, all of it at once',
    on(async ({ api, namespace }) => {
      const { body } = await api.post(
        `/api/v1/namespaces/${namespace}/configmaps`,
        configMap(
          'bad',
          {},
          {
            labels: { 'a b': 'c' },
            annotations: { 'x y': 'z' },
            finalizers: ['short'],
            ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p' }],
          },
        ),
      )
      expect(body['details']).toEqual({
        name: 'bad',
        kind: 'ConfigMap',
        causes: [
          {
            reason: 'FieldValueInvalid',
            message: `Invalid value: "a b": ${qualifiedName}`,
            field: 'metadata.labels',
          },
          {
            reason: 'FieldValueInvalid',
            message: `Invalid value: "x y": ${qualifiedName}`,
            field: 'metadata.annotations',
          },
          {
            reason: 'FieldValueInvalid',
            message: 'Invalid value: "": uid must not be empty',
            field: 'metadata.ownerReferences.uid',
          },
          {
            reason: 'FieldValueInvalid',
            message:
              'Invalid value: "short": name is neither a standard finalizer name nor is it fully qualified',
            field: 'metadata.finalizers[0]',
          },
        ],
      })
    }),
  )

  it(
    '422: a namespace with a dot',
    on(async ({ api, unique }) => {
      const name = `${unique}.x`
      const { body } = await api.post('/api/v1/namespaces', { metadata: { name } })
      expect(body['message']).toBe(
        `Namespace "${name}" is invalid: metadata.name: Invalid value: "${name}": must not contain dots`,
      )
    }),
  )

  it(
    '422: leases and custom resources are replaced with a version only',
    on(async ({ api, namespace, unique }) => {
      const leases = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`
      const lease = { metadata: { name: 'l' }, spec: {} }
      await api.post(leases, lease)
      expect((await api.put(`${leases}/l`, lease)).body['message']).toBe(
        'leases.coordination.k8s.io "l" is invalid: metadata.resourceVersion: Invalid value: 0x0: must be specified for an update',
      )
      const { path } = await serveWidgets(api, unique, namespace)
      const { body } = await api.post(path, widget(unique, 'w'))
      expect((await api.put(`${path}/w`, widget(unique, 'w'))).body['message']).toBe(
        `widgets.${unique}.example.org "w" is invalid: metadata.resourceVersion: Invalid value: 0x0: must be specified for an update`,
      )
      expect((await api.put(`${path}/w`, body)).code).toBe(200)
    }),
  )

  it(
    '422: the uid stays, and so does the birthday',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      const made = await api.post(path, configMap('a'))
      const uid = '00000000-0000-0000-0000-000000000000'
      const other = await api.patch(`${path}/a`, 'merge', { metadata: { uid } })
      expect(other.code).toBe(422)
      expect(other.body['message']).toContain(
        `metadata.uid: Invalid value: "${uid}": field is immutable`,
      )
      const creationTimestamp = '2001-01-01T00:00:00Z'
      const older = await api.patch(`${path}/a`, 'merge', { metadata: { creationTimestamp } })
      expect(older.body.metadata.creationTimestamp).toBe(made.body.metadata.creationTimestamp)
    }),
  )

  it(
    '422: a config map of more than a megabyte',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      const { body } = await api.post(path, configMap('big', { x: 'y'.repeat(1024 * 1024 + 1) }))
      expect(body).toEqual(
        failure(
          422,
          'Invalid',
          'ConfigMap "big" is invalid: []: Too long: may not be more than 1048576 bytes',
          {
            name: 'big',
            kind: 'ConfigMap',
            causes: [
              {
                reason: 'FieldValueTooLong',
                message: 'Too long: may not be more than 1048576 bytes',
                field: '[]',
              },
            ],
          },
        ),
      )
    }),
  )

  it(
    '413: a body of more than three megabytes',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      const { body } = await api.post(path, configMap('huge', { x: 'y'.repeat(3_200_000) }))
      expect(body).toEqual(
        failure(413, 'RequestEntityTooLarge', 'Request entity too large: limit is 3145728'),
      )
    }),
  )

  it(
    'a custom resource says what it is',
    on(async ({ api, namespace, unique }) => {
      const { path } = await serveWidgets(api, unique, namespace)
      const kindless = await api.post(path, { metadata: { name: 'w' } })
      expect(kindless.code).toBe(400)
      expect(kindless.body['message']).toBe(
        `the object provided is unrecognized (must be of type Widget): Object 'Kind' is missing in '{"metadata":{"name":"w"}}' ({"metadata":{"name":"w"}})`,
      )
      const other = await api.post(path, { ...widget(unique, 'w'), kind: 'Gadget' })
      expect(other.code).toBe(422)
      expect(other.body['message']).toContain('kind: Invalid value: "Gadget": must be Widget')
    }),
  )
})

conformance('events', (on) => {
  const event = {
    metadata: { name: 'e' },
    reason: 'Tried',
    message: 'a thing',
    type: 'Normal',
    source: { component: 'tester' },
    count: 2,
  }

  it(
    'are seen through both of their groups',
    on(async ({ api, namespace }) => {
      const involvedObject = { kind: 'ConfigMap', name: 'a', namespace }
      await api.post(`/api/v1/namespaces/${namespace}/events`, { ...event, involvedObject })
      const { body } = await api.get(`/apis/events.k8s.io/v1/namespaces/${namespace}/events/e`)
      expect(body).toMatchObject({
        apiVersion: 'events.k8s.io/v1',
        reason: 'Tried',
        note: 'a thing',
        regarding: involvedObject,
        deprecatedSource: { component: 'tester' },
        deprecatedCount: 2,
      })
    }),
  )

  it(
    'are found by what they are about',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/events`
      for (const name of ['a', 'b']) {
        const involvedObject = { kind: 'ConfigMap', name, namespace }
        await api.post(path, { ...event, metadata: { name: `e-${name}` }, involvedObject })
      }
      const selector = encodeURIComponent('involvedObject.name=b,reason=Tried')
      const { body } = await api.get(`${path}?fieldSelector=${selector}`)
      expect(body.items.map(({ metadata }) => metadata.name)).toEqual(['e-b'])
    }),
  )

  it(
    '422: are kept where their object is',
    on(async ({ api, namespace }) => {
      const involvedObject = { kind: 'ConfigMap', name: 'a', namespace: 'default' }
      const path = `/api/v1/namespaces/${namespace}/events`
      const { body } = await api.post(path, { ...event, involvedObject })
      expect(body).toMatchObject({ code: 422 })
      expect(body['message']).toContain(
        'involvedObject.namespace: Invalid value: "default": does not match event.namespace',
      )
    }),
  )
})
