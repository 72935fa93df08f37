import { expect, it } from 'vitest'
import { causesOf, goodQualifiedName as qualifiedName, goodSubdomain } from '../support/causes.ts'
import { conformance } from '../support/conformance.ts'
import { configMap, failure } from '../support/objects.ts'
import { serveWidgets, widget } from '../support/widgets.ts'

conformance('validation', (on) => {
  it(
    '422: invalid metadata, all causes at once',
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
    '422: invalid owners and finalizers',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      const owners = [{ apiVersion: '', kind: '', name: '', uid: '' }]
      const empty = 'Invalid value: ""'
      const owned = await api.post(path, configMap('a', {}, { ownerReferences: owners }))
      expect(causesOf(owned)).toEqual([
        `metadata.ownerReferences.apiVersion: ${empty}: version must not be empty`,
        `metadata.ownerReferences.kind: ${empty}: kind must not be empty`,
        `metadata.ownerReferences.name: ${empty}: name must not be empty`,
        `metadata.ownerReferences.uid: ${empty}: uid must not be empty`,
      ])
      const finalizers = ['orphan', 'foregroundDeletion', 'a b']
      const held = await api.post(path, configMap('a', {}, { finalizers }))
      expect(causesOf(held)).toEqual([
        `metadata.finalizers: Invalid value: "a b": ${qualifiedName}`,
        'metadata.finalizers: Invalid value: []string{"orphan", "foregroundDeletion", "a b"}: finalizer orphan and foregroundDeletion cannot be both set',
        'metadata.finalizers[2]: Invalid value: "a b": name is neither a standard finalizer name nor is it fully qualified',
      ])
      const masters = ['x', 'y'].map((name) => ({
        apiVersion: 'v1',
        kind: 'Pod',
        name,
        uid: 'u',
        controller: true,
      }))
      const ruled = await api.post(path, configMap('a', {}, { ownerReferences: masters }))
      expect(causesOf(ruled)).toEqual([
        expect.stringMatching(
          /^metadata\.ownerReferences: Invalid value: .*: Only one reference can have Controller set to true\. Found "true" in references for Pod\/x and Pod\/y$/,
        ),
      ])
    }),
  )

  it(
    '422: an invalid generateName',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      const made = await api.post(path, { metadata: { generateName: 'Bad_' } })
      expect(causesOf(made)).toEqual([
        `metadata.generateName: Invalid value: "Bad_": ${goodSubdomain}`,
        expect.stringMatching(/^metadata\.name: Invalid value: "Bad_[a-z0-9]{5}": a lowercase/),
      ])
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
    '422: updates of leases and custom resources require a resourceVersion',
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
    '422: uid and creationTimestamp are immutable',
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
    '422: a ConfigMap of more than a megabyte',
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
    '500: an object that exceeds the limit of etcd',
    on(async ({ api, namespace, unique }) => {
      const { path } = await serveWidgets(api, unique, namespace)
      const sized = (name: string, bytes: number): object =>
        widget(unique, name, { parts: ['x'.repeat(bytes)] })
      const { reason: _, ...tooLarge } = failure(500, '', 'etcdserver: request is too large')
      expect((await api.post(path, sized('big', 1_572_600))).body).toEqual(tooLarge)
      expect((await api.post(`${path}?dryRun=All`, sized('big', 1_572_600))).code).toBe(201)
      expect((await api.get(`${path}/big`)).code).toBe(404)
      expect((await api.post(path, sized('small', 1_500_000))).code).toBe(201)
      const change = { spec: { parts: ['x'.repeat(1_572_600)] } }
      const patched = await api.patch(`${path}/small`, 'merge', change)
      expect(patched.body).toEqual(tooLarge)
    }),
  )

  it(
    'an object that is too large only with managedFields is stored without them',
    on(async ({ api, namespace, unique }) => {
      const { path } = await serveWidgets(api, unique, namespace)
      const object = widget(unique, 'w', { parts: ['x'.repeat(1_572_270)] })
      const { code, body } = await api.post(path, object)
      expect([code, body.metadata.managedFields]).toEqual([201, undefined])
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
    '400: a custom resource without apiVersion and kind',
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
    'are served in both groups',
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
    'are selected by involvedObject',
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
    '422: must be in the namespace of their object',
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

  it(
    '422: with eventTime require a reporter',
    on(async ({ api, namespace }) => {
      const eventTime = '2026-01-01T00:00:00.000000Z'
      const bare = { metadata: { name: 'e' }, involvedObject: { namespace }, eventTime }
      const path = `/api/v1/namespaces/${namespace}/events`
      expect(causesOf(await api.post(path, bare))).toEqual([
        'reportingComponent: Required value',
        'reportingComponent: Invalid value: "": name part must be non-empty',
        `reportingComponent: Invalid value: "": ${qualifiedName}`,
        'reportingInstance: Required value',
        'action: Required value',
        'reason: Required value',
      ])
      const long = await api.post(path, {
        ...bare,
        reportingComponent: 'a',
        reportingInstance: 'i'.repeat(129),
        action: 'x'.repeat(129),
        reason: 'r'.repeat(129),
        message: 'm'.repeat(1025),
      })
      expect(causesOf(long)).toEqual([
        'reportingInstance: Invalid value: "": can have at most 128 characters',
        'action: Invalid value: "": can have at most 128 characters',
        'reason: Invalid value: "": can have at most 128 characters',
        'message: Invalid value: "": can have at most 1024 characters',
      ])
    }),
  )

  it(
    '422: events.k8s.io rejects deprecated fields',
    on(async ({ api, namespace }) => {
      const path = `/apis/events.k8s.io/v1/namespaces/${namespace}/events`
      const old = { metadata: { name: 'e' }, regarding: { namespace } }
      expect(causesOf(await api.post(path, old))).toEqual([
        'eventTime: Required value',
        'type: Invalid value: "": has invalid value: ',
      ])
      const whole = {
        ...old,
        eventTime: '2026-01-01T00:00:00.000000Z',
        reportingController: 'example.org/a',
        reportingInstance: 'i',
        action: 'x',
        reason: 'r',
        type: 'Normal',
      }
      const mixed = {
        deprecatedCount: 1,
        deprecatedSource: { component: 'c' },
        series: { count: 1 },
      }
      expect(causesOf(await api.post(path, { ...whole, ...mixed }))).toEqual([
        'series.count: Invalid value: "": should be at least 2',
        'series.lastObservedTime: Required value',
        'count: Invalid value: "": needs to be unset',
        'source: Invalid value: "": needs to be unset',
      ])
      const made = await api.post(path, whole)
      expect(made.code).toBe(201)
      expect(made.body).toMatchObject({ reportingController: 'example.org/a', action: 'x' })
      expect(made.body.metadata.managedFields?.[0]?.fieldsV1).toEqual({
        'f:action': {},
        'f:eventTime': {},
        'f:reason': {},
        'f:regarding': {},
        'f:reportingController': {},
        'f:reportingInstance': {},
        'f:type': {},
      })
      const core = await api.get(`/api/v1/namespaces/${namespace}/events/e`)
      expect(core.body).toMatchObject({ reportingComponent: 'example.org/a', reason: 'r' })
    }),
  )
})
