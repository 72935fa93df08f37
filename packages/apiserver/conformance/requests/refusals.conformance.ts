import { expect, it } from 'vitest'
import { conformance } from '../support/conformance.ts'
import { configMap, failure } from '../support/objects.ts'

conformance('errors', (on) => {
  it(
    '404: a missing object',
    on(async ({ api, namespace }) => {
      const { code, headers, body } = await api.get(
        `/api/v1/namespaces/${namespace}/configmaps/none`,
      )
      expect(code).toBe(404)
      expect(headers['content-type']).toBe('application/json')
      const details = { name: 'none', kind: 'configmaps' }
      expect(body).toEqual(failure(404, 'NotFound', 'configmaps "none" not found', details))
    }),
  )

  it(
    '404: a missing object of a named group',
    on(async ({ api, namespace }) => {
      const { body } = await api.get(
        `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/none`,
      )
      expect(body).toEqual(
        failure(404, 'NotFound', 'leases.coordination.k8s.io "none" not found', {
          name: 'none',
          group: 'coordination.k8s.io',
          kind: 'leases',
        }),
      )
    }),
  )

  it(
    '404: a missing namespace',
    on(async ({ api, unique }) => {
      const { body } = await api.post(
        `/api/v1/namespaces/none-${unique}/configmaps`,
        configMap('lost'),
      )
      const details = { name: `none-${unique}`, kind: 'namespaces' }
      expect(body).toEqual(
        failure(404, 'NotFound', `namespaces "none-${unique}" not found`, details),
      )
    }),
  )

  it(
    '404: an unknown resource',
    on(async ({ api }) => {
      const message = 'the server could not find the requested resource'
      const { body } = await api.get('/api/v1/bogus')
      expect(body).toEqual(failure(404, 'NotFound', message, {}))
    }),
  )

  it(
    '404: an unknown group or path',
    on(async ({ api }) => {
      for (const path of ['/apis/bogus.example.org/v1', '/nothing/here']) {
        const { code, headers, text } = await api.get(path)
        expect(code).toBe(404)
        expect(headers['content-type']).toBe('text/plain; charset=utf-8')
        expect(text).toBe('404 page not found\n')
      }
    }),
  )

  it(
    '405: an unsupported verb',
    on(async ({ api, namespace }) => {
      const { body } = await api.put(`/api/v1/namespaces/${namespace}/configmaps`, {})
      const message = 'the server does not allow this method on the requested resource'
      expect(body).toEqual(failure(405, 'MethodNotAllowed', message, {}))
    }),
  )

  it(
    '409: the object exists',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      await api.post(path, configMap('twice'))
      const { body } = await api.post(path, configMap('twice'))
      const details = { name: 'twice', kind: 'configmaps' }
      expect(body).toEqual(
        failure(409, 'AlreadyExists', 'configmaps "twice" already exists', details),
      )
    }),
  )

  it(
    '409: the object has been modified',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      const made = await api.post(path, configMap('old'))
      await api.put(`${path}/old`, configMap('old', { a: '1' }))
      const { resourceVersion } = made.body.metadata
      const { body } = await api.put(`${path}/old`, configMap('old', {}, { resourceVersion }))
      expect(body).toEqual(
        failure(
          409,
          'Conflict',
          'Operation cannot be fulfilled on configmaps "old": the object has been modified; please apply your changes to the latest version and try again',
          { name: 'old', kind: 'configmaps' },
        ),
      )
    }),
  )

  it(
    '422: an invalid name',
    on(async ({ api, namespace }) => {
      const rule =
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
      const { body } = await api.post(
        `/api/v1/namespaces/${namespace}/configmaps`,
        configMap('A_b'),
      )
      expect(body).toEqual(
        failure(
          422,
          'Invalid',
          `ConfigMap "A_b" is invalid: metadata.name: Invalid value: "A_b": ${rule}`,
          {
            name: 'A_b',
            kind: 'ConfigMap',
            causes: [
              {
                reason: 'FieldValueInvalid',
                message: `Invalid value: "A_b": ${rule}`,
                field: 'metadata.name',
              },
            ],
          },
        ),
      )
    }),
  )

  it(
    '422: a missing name',
    on(async ({ api, namespace }) => {
      const { body } = await api.post(`/api/v1/namespaces/${namespace}/configmaps`, {
        metadata: {},
      })
      const message = 'Required value: name or generateName is required'
      expect(body).toEqual(
        failure(422, 'Invalid', `ConfigMap "" is invalid: metadata.name: ${message}`, {
          kind: 'ConfigMap',
          causes: [{ reason: 'FieldValueRequired', message, field: 'metadata.name' }],
        }),
      )
    }),
  )

  it(
    '422: unknown options',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      const validation = await api.post(`${path}?fieldValidation=Bogus`, configMap('a'))
      expect(validation.body['message']).toBe(
        'CreateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "Bogus": supported values: "", "Ignore", "Strict", "Warn"',
      )
      const dryRun = await api.post(`${path}?dryRun=Some`, configMap('a'))
      expect(dryRun.body['message']).toBe(
        'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: []string{"Some"}: supported values: "All"',
      )
    }),
  )

  it(
    '401: an unknown token',
    on(async ({ api }) => {
      const { body } = await api.withToken('made-up').get('/api/v1/nodes')
      expect(body).toEqual(failure(401, 'Unauthorized', 'Unauthorized'))
    }),
  )

  it(
    '403: an anonymous request',
    on(async ({ api }) => {
      const { body } = await api.as({}).get('/api/v1/nodes')
      expect(body).toEqual(
        failure(
          403,
          'Forbidden',
          'nodes is forbidden: User "system:anonymous" cannot list resource "nodes" in API group "" at the cluster scope',
          { kind: 'nodes' },
        ),
      )
    }),
  )
})
