import { expect, it } from 'vitest'
import { conformance } from '../support/conformance.ts'
import { configMap, failure } from '../support/objects.ts'
import { wrongTypes } from '../support/wrong-types.ts'

conformance('bodies', (on) => {
  it(
    '400: an object of another kind or namespace',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      const elsewhere = await api.post(path, configMap('a', {}, { namespace: 'other' }))
      expect(elsewhere.body).toEqual(
        failure(
          400,
          'BadRequest',
          'the namespace of the provided object does not match the namespace sent on the request',
        ),
      )
      await api.post(path, configMap('a'))
      const renamed = await api.put(`${path}/a`, configMap('b'))
      expect(renamed.body).toEqual(
        failure(
          400,
          'BadRequest',
          'the name of the object (b) does not match the name on the URL (a)',
        ),
      )
    }),
  )

  it(
    '400: a value of the wrong type',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      const { body } = await api.post(path, { metadata: { name: 'a' }, data: [1] })
      expect(body).toEqual(
        failure(
          400,
          'BadRequest',
          'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal array into Go struct field ConfigMap.data of type map[string]string',
        ),
      )
    }),
  )

  for (const [collection, bodies] of Object.entries(wrongTypes)) {
    it(
      `400: values of the wrong type for ${collection}`,
      on(async ({ api, namespace }) => {
        const path = collection.replace('<>', namespace)
        for (const [sent, reported] of bodies) {
          const { code, body } = await api.post(path, sent)
          const message = String(body['message'])
          const words = message.replace(/^\w+ in version "v1" cannot be handled as a \w+: /, '')
          expect([sent, code, words]).toEqual([sent, 400, reported])
        }
      }),
    )
  }

  it(
    'null is valid for any type',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      const made = await api.post(path, { metadata: { name: 'a', labels: null }, data: null })
      expect(made.code).toBe(201)
      expect(made.body).not.toHaveProperty('data')
      const nothing = await api.post(path, 'null')
      expect(nothing.body['message']).toBe(
        'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
      )
    }),
  )

  it(
    '400: a body that is not an object',
    on(async ({ api, namespace }) => {
      const reported = async (sent: string): Promise<unknown> => {
        const { body } = await api.post(`/api/v1/namespaces/${namespace}/configmaps`, sent)
        expect(body).toMatchObject({ code: 400, reason: 'BadRequest' })
        return body['message']
      }
      const begin =
        "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: json: cannot unmarshal"
      const type =
        'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
      expect(await reported('"text"')).toBe(
        `${begin} string into Go value of type ${type} (227465787422)`,
      )
      expect(await reported('5')).toBe(`${begin} number into Go value of type ${type} (35)`)
      expect(await reported('{"kind":5,"metadata":{"name":"a"}}')).toBe(
        `${begin} number into Go struct field .kind of type string ({"kind":5,"metadata":{"name":" ...)`,
      )
      expect(await reported('{"apiVersion":["v1"],"metadata":{"name":"a"}}')).toBe(
        `${begin} array into Go struct field .apiVersion of type string ({"apiVersion":["v1"],"metadata ...)`,
      )
    }),
  )

  it(
    '400: invalid JSON',
    on(async ({ api, namespace }) => {
      const { body } = await api.post(`/api/v1/namespaces/${namespace}/configmaps`, '{"metadata":')
      expect(body).toEqual(
        failure(
          400,
          'BadRequest',
          `the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: unexpected end of JSON input ({"metadata":)`,
        ),
      )
    }),
  )

  it(
    '400: unknown and duplicate fields with strict field validation',
    on(async ({ api, namespace }) => {
      const { body } = await api.post(
        `/api/v1/namespaces/${namespace}/configmaps?fieldValidation=Strict`,
        '{"metadata":{"name":"x"},"dta":{},"data":{"a":"1","a":"2"}}',
      )
      expect(body).toEqual(
        failure(
          400,
          'BadRequest',
          'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "dta", duplicate field "data.a"',
        ),
      )
    }),
  )

  it(
    'unknown fields cause warnings with fieldValidation Warn',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      const { code, headers, body } = await api.post(`${path}?fieldValidation=Warn`, {
        metadata: { name: 'x' },
        dta: {},
      })
      expect(code).toBe(201)
      expect(headers['warning']).toBe('299 - "unknown field \\"dta\\""')
      expect(body).not.toHaveProperty('dta')
    }),
  )

  it(
    '406: no acceptable representation',
    on(async ({ api, namespace }) => {
      const { body } = await api.get(`/api/v1/namespaces/${namespace}/configmaps`, {
        accept: 'text/html',
      })
      expect(body).toMatchObject({ reason: 'NotAcceptable', code: 406, details: {} })
      expect(body['message']).toMatch(
        /^406: Not Acceptable\n\nAvailable representations: application\/json, application\/yaml/,
      )
    }),
  )

  it(
    '415: an unknown patch type',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      await api.post(path, configMap('a'))
      const { body } = await api.ask(`${path}/a`, { method: 'PATCH', body: '{}' })
      expect(body).toMatchObject({ reason: 'UnsupportedMediaType', code: 415 })
    }),
  )

  it(
    '415: an unknown content type',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      const { body } = await api.post(path, 'a=b', { 'content-type': 'text/plain' })
      expect(body).toMatchObject({ reason: 'UnsupportedMediaType', code: 415 })
    }),
  )

  it(
    'YAML in requests and responses',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      const yaml = { 'content-type': 'application/yaml', accept: 'application/yaml' }
      const { code, headers, text } = await api.post(
        path,
        'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: yaml\ndata:\n  x: "1"\n',
        yaml,
      )
      expect(code).toBe(201)
      expect(headers['content-type']).toBe('application/yaml')
      expect(text).toMatch(/^apiVersion: v1\ndata:\n {2}x: "1"\nkind: ConfigMap\nmetadata:\n/)
    }),
  )
})
