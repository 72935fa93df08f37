import { expect, it } from 'vitest'
import { conformance } from '../support/conformance.ts'
import { configMap, failure } from '../support/objects.ts'

const unrecognized = (why: string): object =>
  failure(
    400,
    'BadRequest',
    `the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: ${why}`,
  )

/** Errors that kube-apiserver treats as internal have no reason. */
const withoutReason = (message: string): object => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message,
  code: 500,
})

const protobuf = { 'content-type': 'application/vnd.kubernetes.protobuf' }
const names =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'

conformance('bad input', (on) => {
  it(
    '400: invalid JSON',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      const marked = await api.post(path, '\ufeff{}')
      expect(marked.body).toEqual(
        unrecognized(`invalid character 'ï' looking for beginning of value (efbbbf7b7d)`),
      )
      const nul = await api.post(path, '{"a":"\0"}')
      expect(nul.body).toEqual(
        unrecognized(`invalid character '\\x00' in string literal ({"a":"\0"})`),
      )
      const deep = await api.post(path, '{"a":'.repeat(100_000))
      expect(deep.body).toEqual(
        unrecognized(
          `invalid character '{' exceeded max depth ({"a":{"a":{"a":{"a":{"a":{"a": ...)`,
        ),
      )
    }),
  )

  it(
    '400: a deeply nested patch',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      await api.post(path, configMap('a'))
      for (const type of ['merge', 'json', 'strategic'] as const) {
        const { body } = await api.patch(`${path}/a`, type, '{"a":'.repeat(100_000))
        expect(body).toMatchObject({ code: 400, reason: 'BadRequest' })
        expect(body['message']).toContain(`invalid character '{' exceeded max depth`)
      }
    }),
  )

  it(
    'lone surrogates are replaced',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      const { body } = await api.post(path, '{"metadata":{"name":"a"},"data":{"a":"\\ud800x"}}')
      expect(body['data']).toEqual({ a: '\ufffdx' })
    }),
  )

  it(
    '413: more than three megabytes',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      const { body } = await api.post(path, configMap('a', { a: 'x'.repeat(3 * 1024 * 1024) }))
      expect(body).toEqual(
        failure(413, 'RequestEntityTooLarge', 'Request entity too large: limit is 3145728'),
      )
    }),
  )

  it(
    '415: invalid content types',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      for (const type of [';;;=,', 'application/json; charset', 'json']) {
        const { body } = await api.post(path, configMap('a'), { 'content-type': type })
        expect([type, body['code']]).toEqual([type, 415])
      }
      const odd = await api.post(path, configMap('a'), {
        'content-type': 'APPLICATION/JSON; charset=utf-16',
      })
      expect(odd.code).toBe(201)
    }),
  )

  it(
    '400: invalid protobuf',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      for (const body of ['', 'k8', 'hello', 'k8s\0', 'k8s\0\x0a\x7f\x01', 'k8s\0\x0b\x0b']) {
        const answer = await api.post(path, body, protobuf)
        expect([body, answer.code]).toEqual([body, 400])
        expect(answer.body).toMatchObject({ kind: 'Status', reason: 'BadRequest' })
      }
    }),
  )

  it(
    'invalid DeleteOptions delete nothing',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      await api.post(path, configMap('a'))
      const cut = await api.delete(`${path}/a`, '{"')
      expect(cut.body).toEqual(
        withoutReason(`couldn't get version/kind; json parse error: unexpected end of JSON input`),
      )
      const list = await api.delete(`${path}/a`, '[]')
      expect(list.body).toEqual(
        withoutReason(
          `couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type ${names}`,
        ),
      )
      const pod = await api.delete(`${path}/a`, { kind: 'Pod', apiVersion: 'v1' })
      expect(pod.body).toEqual(
        withoutReason(
          'no kind "Pod" is registered for version "v1" in scheme "pkg/runtime/scheme.go:100"',
        ),
      )
      const text = await api.ask(`${path}/a`, {
        method: 'DELETE',
        body: 'x',
        headers: { 'content-type': 'text/plain' },
      })
      expect(text.body).toMatchObject({ code: 415, reason: 'UnsupportedMediaType' })
      expect((await api.get(`${path}/a`)).code).toBe(200)
    }),
  )

  it(
    '400: a number that is too large',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      const { body } = await api.get(`${path}?limit=99999999999999999999999`)
      expect(body).toEqual(
        failure(
          400,
          'BadRequest',
          'strconv.ParseInt: parsing "99999999999999999999999": value out of range',
        ),
      )
    }),
  )

  it(
    '422: an invalid field manager',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      const long = await api.post(`${path}?fieldManager=${'x'.repeat(129)}`, configMap('a'))
      expect(long.body).toMatchObject({
        code: 422,
        message:
          'CreateOptions.meta.k8s.io "" is invalid: fieldManager: Too long: may not be more than 128 bytes',
      })
      const odd = await api.post(`${path}?fieldManager=a%0ab`, configMap('a'))
      expect(odd.body).toMatchObject({
        code: 422,
        message:
          'CreateOptions.meta.k8s.io "" is invalid: fieldManager: Invalid value: "a\\nb": invalid character U+000A (at position 1)',
      })
    }),
  )

  it(
    'keys with a meaning in JavaScript are ordinary keys',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      const made = await api.post(path, '{"metadata":{"name":"a"},"data":{"__proto__":"x"}}')
      expect(Object.entries(made.body['data'] as object)).toEqual([['__proto__', 'x']])
      const merged = await api.patch(`${path}/a`, 'merge', '{"data":{"constructor":"y"}}')
      const strategic = await api.patch(`${path}/a`, 'strategic', '{"data":{"__proto__":"z"}}')
      expect(keysOf(merged.body['data'])).toEqual(['__proto__', 'constructor'])
      expect(JSON.stringify(strategic.body['data'])).toContain('"__proto__":"z"')
      const deep = '[{"op":"add","path":"/__proto__/polluted","value":"x"}]'
      expect((await api.patch(`${path}/a`, 'json', deep)).code).toBe(422)
      const root = await api.patch(`${path}/a`, 'merge', '{"__proto__":{"immutable":true}}')
      expect(root.code).toBe(200)
      expect(root.body).not.toHaveProperty('immutable')
      const label = await api.post(path, '{"metadata":{"name":"b","labels":{"__proto__":"x"}}}')
      expect(label.body).toMatchObject({ code: 422, reason: 'Invalid' })
    }),
  )

  it(
    'a patch that removes the metadata',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      await api.post(path, configMap('a'))
      const nameless = failure(
        400,
        'BadRequest',
        'the name of the object (a based on URL) was undeterminable: name must be provided',
      )
      const merged = await api.patch(`${path}/a`, 'merge', '{"metadata":null}')
      expect(merged.body).toEqual(nameless)
      const removed = await api.patch(`${path}/a`, 'json', '[{"op":"remove","path":"/metadata"}]')
      expect(removed.body).toEqual(nameless)
    }),
  )

  it(
    'warnings can contain any Unicode text, and are truncated',
    on(async ({ api, namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      const script = await api.post(path, { metadata: { name: 'a' }, ключ: 1 })
      expect(script.code).toBe(201)
      expect(Buffer.from(String(script.headers['warning']), 'latin1').toString()).toBe(
        '299 - "unknown field \\"ключ\\""',
      )
      const [x, y] = ['x'.repeat(5000), 'y'.repeat(5000)]
      const long = await api.post(path, { metadata: { name: 'b' }, [x]: 1, [y]: 1 })
      expect(long.headers['warning']).toBe(
        `299 - "unknown field \\"${x.slice(0, 241)}", 299 - "unknown field \\"${y.slice(0, 241)}"`,
      )
    }),
  )

  it(
    '401: invalid tokens',
    on(async ({ api, namespace, target }) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      const encoded = (part: object): string =>
        Buffer.from(JSON.stringify(part)).toString('base64url')
      const unsigned = `${encoded({ alg: 'none' })}.${encoded({ sub: 'system:serviceaccount:default:default' })}.`
      for (const [authorization, code] of [
        ['Bearer a.b.c', 401],
        [`Bearer ${unsigned}`, 401],
        [`Bearer ${'x'.repeat(100_000)}`, 401],
        ['Bearer', 403],
        ['Bearer ', 403],
        [`Bearer   ${target.token}`, 403],
        ['Basic YTpi', 403],
        [`Bearer ${target.token} x`, 200],
        [`bEARER ${target.token}`, 200],
      ] as const) {
        const answer = await api.as({ authorization }).get(path)
        expect([authorization.slice(0, 20), answer.code]).toEqual([
          authorization.slice(0, 20),
          code,
        ])
      }
    }),
  )
})

const keysOf = (value: unknown): string[] => Object.keys(value as object).toSorted()
