import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunningServer } from '../../src/running-server.fixture.ts'
import { mergePatch, startServer } from '../../src/running-server.fixture.ts'

let server: RunningServer

beforeAll(async () => {
  server = await startServer()
  await server.ask('POST', '/api/v1/nodes', { body: node('n1') })
})

afterAll(async () => {
  await server[Symbol.asyncDispose]()
})

const node = (name: string): object => ({ apiVersion: 'v1', kind: 'Node', metadata: { name } })

const noSuchResource = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'the server could not find the requested resource',
  reason: 'NotFound',
  details: {},
  code: 404,
}

const notAllowed = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'the server does not allow this method on the requested resource',
  reason: 'MethodNotAllowed',
  details: {},
  code: 405,
}

describe('unknown paths', () => {
  it.each(['/nope', '//api/v1/nodes', '/apis/nope.io', '/apis/nope.io/v1/x', '/readyz/nope'])(
    '%s: plain text',
    async (path) => {
      const { code, headers, text } = await server.ask('GET', path)
      expect(code).toBe(404)
      expect(headers['content-type']).toBe('text/plain; charset=utf-8')
      expect(text).toBe('404 page not found\n')
    },
  )

  it.each([
    '/api/v1/../v1/nodes',
    '/api/v1/namespaces/a%2fb',
    '/api/v2/nodes',
    '/api/v1/widgets',
    '/apis/apps/v2',
    '/api/v1/configmaps/x',
    '/api/v1/nodes/n1/bogus',
    '/api/v1/namespaces/default/nodes',
    '/api/v1/namespaces/default/pods/x/log/y',
  ])('%s: a Status', async (path) => {
    const { code, body } = await server.ask('GET', path)
    expect(code).toBe(404)
    expect(body).toEqual(noSuchResource)
  })

  it.each([
    ['OPTIONS', '/api/v1/nodes'],
    ['POST', '/api/v1/nodes/n1'],
    ['PUT', '/api/v1/nodes'],
    ['PATCH', '/api/v1/nodes'],
    ['DELETE', '/version'],
    ['POST', '/version'],
    ['POST', '/api/v1/configmaps'],
  ])('%s %s is not allowed', async (method, path) => {
    const { code, body } = await server.ask(method, path)
    expect(code).toBe(405)
    expect(body).toEqual(notAllowed)
  })

  it('answer HEAD with the headers only', async () => {
    const { code, text, headers } = await server.ask('HEAD', '/version')
    expect(code).toBe(405)
    expect(text).toBe('')
    expect(headers['content-type']).toBe('application/json')
  })
})

describe('authentication', () => {
  it('rejects an invalid token', async () => {
    const { code, body } = await server.ask('GET', '/api/v1/nodes', { token: 'x' })
    expect(code).toBe(401)
    expect(body).toMatchObject({ message: 'Unauthorized', reason: 'Unauthorized', code: 401 })
  })

  it('denies anonymous reads without permission', async () => {
    const { code, body } = await server.ask('GET', '/api/v1/nodes', { token: undefined })
    expect(code).toBe(403)
    expect(body).toMatchObject({
      message:
        'nodes is forbidden: User "system:anonymous" cannot list resource "nodes" in API group "" at the cluster scope',
      reason: 'Forbidden',
      details: { kind: 'nodes' },
    })
  })

  it('allows everyone to read the version', async () => {
    const { code, body } = await server.ask('GET', '/version', { token: undefined })
    expect(code).toBe(200)
    expect(body).toMatchObject({ major: '1', minor: '32' })
  })
})

describe('bodies', () => {
  const post = async (body: unknown, query = ''): Promise<unknown> =>
    (await server.ask('POST', `/api/v1/nodes${query}`, { body })).body

  it.each([
    [
      '{bad',
      "the object provided is unrecognized (must be of type Node): couldn't get version/kind; json parse error: invalid character 'b' looking for beginning of object key string ({bad)",
    ],
    [
      '',
      "the object provided is unrecognized (must be of type Node): couldn't get version/kind; json parse error: unexpected end of JSON input (<empty>)",
    ],
    [
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'n1' } },
      'Pod in version "v1" cannot be handled as a Node: converting (v1.Pod) to (core.Node): unknown conversion',
    ],
    [
      { apiVersion: 'v2', kind: 'Node', metadata: { name: 'n1' } },
      'Node in version "v2" cannot be handled as a Node: no kind "Node" is registered for version "v2" in scheme "pkg/runtime/scheme.go:100"',
    ],
  ])('rejects %j', async (body, message) => {
    expect(await post(body)).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      reason: 'BadRequest',
      code: 400,
    })
  })

  it('rejects an unknown content type', async () => {
    const headers = { 'content-type': 'text/foo' }
    const { code, body } = await server.ask('POST', '/api/v1/nodes', { body: {}, headers })
    expect(code).toBe(415)
    expect(body['message']).toBe(
      'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    )
  })

  it('rejects more than 3 MiB', async () => {
    const { code, body } = await server.ask('POST', '/api/v1/nodes', {
      body: 'a'.repeat(3 * 1024 * 1024 + 1),
    })
    expect(code).toBe(413)
    expect(body).toMatchObject({
      message: 'Request entity too large: limit is 3145728',
      reason: 'RequestEntityTooLarge',
      code: 413,
    })
  })

  it('reports unknown and duplicate fields with strict validation', async () => {
    const body =
      '{"apiVersion":"v1","kind":"Node","metadata":{"name":"n2","bogus":1},"spec":{"a":1,"podCIDR":"","podCIDR":""}}'
    expect(await post(body, '?fieldValidation=Strict')).toMatchObject({
      message:
        'Node in version "v1" cannot be handled as a Node: strict decoding error: unknown field "metadata.bogus", unknown field "spec.a", duplicate field "spec.podCIDR"',
      code: 400,
    })
  })

  it('warns about them otherwise, and prunes unknown fields', async () => {
    const body =
      '{"apiVersion":"v1","kind":"Node","metadata":{"name":"n3","bogus":1},"spec":{"a":1,"podCIDR":"","podCIDR":""}}'
    const answer = await server.ask('POST', '/api/v1/nodes', { body })
    expect(answer.code).toBe(201)
    expect(answer.headers['warning']).toBe(
      '299 - "unknown field \\"metadata.bogus\\"", 299 - "unknown field \\"spec.a\\"", 299 - "duplicate field \\"spec.podCIDR\\""',
    )
    expect(answer.body['spec']).not.toHaveProperty('a')
  })

  it('accepts YAML and answers in YAML', async () => {
    const answer = await server.ask('POST', '/api/v1/namespaces/default/configmaps', {
      body: 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: from-yaml\ndata:\n  a: b\n',
      headers: { 'content-type': 'application/yaml', accept: 'application/yaml' },
    })
    expect(answer.code).toBe(201)
    expect(answer.headers['content-type']).toBe('application/yaml')
    expect(answer.text).toMatch(/^apiVersion: v1\ndata:\n {2}a: b\nkind: ConfigMap\nmetadata:\n/)
  })

  it('lists supported media types with 406', async () => {
    const headers = { accept: 'text/html' }
    const { code, body } = await server.ask('GET', '/api/v1/nodes', { headers })
    expect(code).toBe(406)
    expect(body['message']).toBe(
      '406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf, application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch',
    )
  })

  it('compresses large responses for clients that support it', async () => {
    const data = { text: 'a'.repeat(200_000) }
    const big = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'big' }, data }
    await server.ask('POST', '/api/v1/namespaces/default/configmaps', { body: big })
    const headers = { 'accept-encoding': 'gzip' }
    const path = '/api/v1/namespaces/default/configmaps/big'
    const packed = await server.ask('GET', path, { headers })
    expect(packed.headers['content-encoding']).toBe('gzip')
    const plain = await server.ask('GET', path)
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(plain.text.length).toBeGreaterThan(200_000)
  })
})

describe('every response', () => {
  it('has an audit id and is not cacheable', async () => {
    const { headers } = await server.ask('GET', '/api/v1/nodes')
    expect(headers['audit-id']).toMatch(/^[0-9a-f-]{36}$/)
    expect(headers['cache-control']).toBe('no-cache, private')
  })

  it('is on one line, unless a user reads it', async () => {
    const plain = await server.ask('GET', '/api/v1/namespaces/default/pods')
    expect(plain.text).toMatch(
      /^\{"kind":"PodList","apiVersion":"v1","metadata":\{"resourceVersion":"\d+"\},"items":\[\]\}\n$/,
    )
    const seen = await server.ask('GET', '/api/v1/namespaces/default/pods?pretty=true')
    expect(seen.text).toMatch(/^\{\n {2}"kind": "PodList",\n/)
  })
})

describe('options', () => {
  it.each([
    [
      'fieldValidation=X',
      'fieldValidation: Unsupported value: "X": supported values: "", "Ignore", "Strict", "Warn"',
    ],
    ['dryRun=X', 'dryRun: Unsupported value: []string{"X"}: supported values: "All"'],
  ])('rejects %s', async (query, reported) => {
    const { code, body } = await server.ask('POST', `/api/v1/nodes?${query}`, { body: node('n9') })
    expect(code).toBe(422)
    expect(body['message']).toBe(`CreateOptions.meta.k8s.io "" is invalid: ${reported}`)
  })

  it.each([
    ['limit=x', 400, 'strconv.ParseInt: parsing "x": invalid syntax'],
    ['fieldSelector=spec.foo=1', 400, 'field label not supported: spec.foo'],
    [
      'resourceVersion=abc',
      500,
      'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
    ],
  ])('rejects a list with %s', async (query, expected, message) => {
    const { code, body } = await server.ask('GET', `/api/v1/nodes?${query}`)
    expect(code).toBe(expected)
    expect(body['message']).toBe(message)
  })

  it('rejects unknown patch types', async () => {
    const { code, body } = await server.ask('PATCH', '/api/v1/nodes/n1', { body: {} })
    expect(code).toBe(415)
    expect(body['message']).toBe('415: Unsupported Media Type')
  })

  it('rejects a patch that is not JSON', async () => {
    const answer = await server.ask('PATCH', '/api/v1/nodes/n1', {
      body: 'xx',
      headers: mergePatch,
    })
    expect(answer.body).toMatchObject({
      message: "error decoding patch: invalid character 'x' looking for beginning of value",
      code: 400,
    })
  })
})
