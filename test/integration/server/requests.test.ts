import { gunzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import type { Config } from '@machinist/ignition/spec/config'
import type { Access } from '../../../src/server/access/access.ts'
import {
  configName,
  renderedConfig,
  serverState,
} from '../../../src/server/answer/state.fixture.ts'
import { TestServer } from './running-server.ts'

const accept = (version: string): Record<string, string> => ({
  accept: `application/vnd.coreos.ignition+json;version=${version}, */*;q=0.1`,
})
const errorIn = (text: string): Record<string, unknown> =>
  (JSON.parse(text) as { error: Record<string, unknown> }).error

const server = await TestServer.start()
afterAll(() => server[Symbol.asyncDispose]())

describe('a request for a config', () => {
  it.each([
    [
      'application/vnd.coreos.ignition+json; version=2.4.0, application/vnd.coreos.ignition+json; version=1; q=0.5, */*; q=0.1',
      '2.2.0',
    ],
    ['application/vnd.coreos.ignition+json;version=3.0.0, */*;q=0.1', '3.0.0'],
    ['application/vnd.coreos.ignition+json;version=3.1.0, */*;q=0.1', '3.1.0'],
    ['application/vnd.coreos.ignition+json;version=3.2.0, */*;q=0.1', '3.2.0'],
    ['application/vnd.coreos.ignition+json;version=3.3.0, */*;q=0.1', '3.3.0'],
    ['application/vnd.coreos.ignition+json;version=3.4.0, */*;q=0.1', '3.4.0'],
    ['application/vnd.coreos.ignition+json;version=3.5.0, */*;q=0.1', '3.5.0'],
    ['application/vnd.coreos.ignition+json;version=3.99.0, */*;q=0.1', '3.5.0'],
    ['application/vnd.coreos.ignition+json', '2.2.0'],
    ['text/plain', '2.2.0'],
    ['an-invalid-accept-header', '2.2.0'],
    ['', '2.2.0'],
  ])('with Accept: %s gets version %s', async (header, version) => {
    const { code, headers, text } = await server.get('/config/worker', {
      headers: { accept: header },
    })
    expect(code).toBe(200)
    expect(headers['content-type']).toBe('application/json')
    expect(headers['ignition-version']).toBe(version)
    expect(headers['content-length']).toBe(String(text.length))
    expect(headers['transfer-encoding']).toBeUndefined()
    expect((JSON.parse(text) as Config).ignition.version).toBe(version)
  })

  it('over TLS gets the same bytes', async () => {
    const options = { headers: accept('3.4.0') }
    const [plain, secure] = [
      await server.get('/config/worker', options),
      await server.getSecure('/config/worker', options),
    ]
    expect(secure.text).toBe(plain.text)
    expect(secure.headers.etag).toBe(plain.headers.etag)
  })

  it('without a header gets the oldest version that can express the config', async () => {
    const config = {
      ignition: { version: '3.5.0' },
      storage: { luks: [{ name: 'a', device: '/dev/a', discard: true }] },
    }
    await using other = await TestServer.start({ state: serverState(renderedConfig({ config })) })
    const { code, headers } = await other.get('/config/worker')
    expect([code, headers['ignition-version']]).toEqual([200, '3.4.0'])
    const refused = await other.get('/config/worker', { headers: accept('3.1.0') })
    expect(refused.code).toBe(406)
    expect(errorIn(refused.text)).toMatchObject({
      reason: 'CannotConvert',
      versions: expect.arrayContaining(['3.5.0']),
      fields: [{ field: '$.storage.luks', problem: 'needs version 3.2.0 or later' }],
    })
  })

  it('for an unsupported version is not acceptable', async () => {
    const { code, text } = await server.get('/config/worker', { headers: accept('4.0.0') })
    expect(code).toBe(406)
    expect(errorIn(text)).toEqual({
      status: 406,
      reason: 'UnsupportedVersion',
      message: 'Ignition 4.0.0 is not supported',
      action: 'Request one of the versions of this list in the Accept header.',
      versions: ['2.2.0', '3.0.0', '3.1.0', '3.2.0', '3.3.0', '3.4.0', '3.5.0'],
    })
  })

  it('with a trailing slash or a query is the same', async () => {
    const { text } = await server.get('/config/worker')
    expect((await server.get('/config/worker/')).text).toBe(text)
    expect((await server.get('/config/worker?x=y')).text).toBe(text)
  })

  it('with HEAD gets the headers only', async () => {
    const got = await server.get('/config/worker')
    const head = await server.get('/config/worker', { method: 'HEAD' })
    expect([head.code, head.text]).toEqual([200, ''])
    expect(head.headers['content-length']).toBe(got.headers['content-length'])
    expect(head.headers.etag).toBe(got.headers.etag)
  })

  it('that names the ETag gets no body', async () => {
    const { headers } = await server.get('/config/worker')
    const again = await server.get('/config/worker', {
      headers: { 'if-none-match': `"other", ${headers.etag}` },
    })
    expect([again.code, again.text, again.headers.etag]).toEqual([304, '', headers.etag])
    const other = await server.get('/config/worker', { headers: { 'if-none-match': '"other"' } })
    expect(other.code).toBe(200)
  })

  it('that accepts gzip gets it, with another ETag', async () => {
    const plain = await server.get('/config/worker')
    const { code, headers, bytes } = await server.get('/config/worker', {
      headers: { 'accept-encoding': 'gzip' },
    })
    expect([code, headers['content-encoding']]).toEqual([200, 'gzip'])
    expect(headers['content-length']).toBe(String(bytes.length))
    expect(headers.etag).not.toBe(plain.headers.etag)
    expect(gunzipSync(bytes).toString()).toBe(plain.text)
  })

  it('is logged without secrets', async () => {
    await server.get('/config/worker', {
      headers: { 'user-agent': 'Ignition/2.14.0', authorization: 'Bearer CANARY' },
    })
    const line = server.logged.trim().split('\n').at(-1)!
    expect(JSON.parse(line)).toMatchObject({
      msg: 'served a config',
      pool: 'worker',
      config: configName,
      version: '2.2.0',
      address: '127.0.0.1',
      userAgent: 'Ignition/2.14.0',
    })
    expect(server.logged).not.toContain('CANARY')
    expect(server.logged).not.toContain('bootstrap-token')
  })

  it('is counted by pool and version', () => {
    expect(server.metrics.text()).toMatch(
      /^machinist_server_configs_served_total\{pool="worker",version="2\.2\.0"\} [1-9]/m,
    )
    expect(server.metrics.text()).toMatch(/^machinist_server_requests_total\{code="200"\} [1-9]/m)
  })
})

describe('other requests', () => {
  it.each([
    ['GET', '/healthz', 200],
    ['HEAD', '/healthz', 200],
    ['POST', '/healthz', 405],
    ['GET', '/', 404],
    ['HEAD', '/', 404],
    ['POST', '/', 405],
    ['POST', '/config/worker', 405],
    ['PUT', '/config/worker', 405],
    ['DELETE', '/config/worker', 405],
    ['OPTIONS', '/config/worker', 405],
    ['GET', '/config/does-not-exist', 404],
    ['GET', '/config/', 404],
    ['GET', '/config/a/b/worker', 404],
    ['GET', '/config/..%2fconfig%2fworker', 404],
    ['GET', '/metrics', 404],
  ])('%s %s is answered with %i', async (method, path, status) => {
    const { code, headers, text } = await server.get(path, { method })
    expect(code).toBe(status)
    const isEmpty = method === 'HEAD' || status === 200
    expect(isEmpty ? text : errorIn(text)['status']).toBe(isEmpty ? '' : status)
    expect(headers.allow).toBe(status === 405 ? 'GET, HEAD' : undefined)
  })

  it('for an unknown pool do not list the pools', async () => {
    const { text } = await server.get('/config/does-not-exist')
    expect(text).not.toContain('worker')
  })
})

describe('a server without a state', () => {
  it('is not healthy and asks clients to retry', async () => {
    await using waiting = await TestServer.start({ state: undefined })
    for (const path of ['/healthz', '/config/worker']) {
      const { code, headers, text } = await waiting.get(path)
      expect([code, headers['retry-after']]).toEqual([503, '10'])
      expect(errorIn(text)).toMatchObject({
        reason: 'NotReady',
        message: 'the state of the cluster is not known yet',
      })
    }
    expect(waiting.notReady()).toBe('the state of the cluster is not known yet')
    waiting.source.set(serverState())
    expect((await waiting.get('/healthz')).code).toBe(200)
    expect((await waiting.get('/config/worker')).code).toBe(200)
    expect(waiting.notReady()).toBeUndefined()
  })
})

describe('a server without a credential', () => {
  it('gives no config that would strand a machine', async () => {
    await using poor = await TestServer.start()
    poor.credential = undefined
    const { code, headers, text } = await poor.get('/config/worker')
    expect([code, headers['retry-after']]).toEqual([503, '10'])
    expect(errorIn(text)).toMatchObject({ reason: 'NoCredential' })
    expect((await poor.get('/healthz')).code).toBe(503)
  })

  it('gives the kubeconfig of a directory', async () => {
    const kubeconfig = { type: 'file', text: 'x' } as const
    await using other = await TestServer.start({
      state: serverState(renderedConfig(), { kubeconfig }),
    })
    other.credential = undefined
    expect((await other.get('/config/worker')).code).toBe(200)
    expect((await other.get('/healthz')).code).toBe(200)
  })
})

describe('the age of the state', () => {
  it('is in the header if its source does not answer', async () => {
    const fresh = await server.get('/config/worker')
    expect(fresh.headers.age).toBeUndefined()
    await using old = await TestServer.start({
      state: serverState(renderedConfig(), { asOf: Date.now() - 90_000 }),
    })
    expect(Number((await old.get('/config/worker')).headers.age)).toBeGreaterThanOrEqual(90)
  })
})

describe('access', () => {
  const seen: unknown[] = []
  const access: Access = async ({ pool, address, authorization }) => {
    seen.push([pool, address, authorization])
    if (authorization === 'Bearer CANARY-good') return { type: 'allowed' }
    if (authorization === 'Bearer CANARY-far')
      return { type: 'refused', status: 403, reason: 'Address' }
    if (authorization === 'Bearer CANARY-many') {
      return { type: 'refused', status: 429, reason: 'TooMany', retryAfter: 7.2 }
    }
    return { type: 'refused', status: 401, reason: 'UnknownToken' }
  }

  it.each([
    ['Bearer CANARY-good', 200, undefined],
    ['Bearer CANARY-bad', 401, 'UnknownToken'],
    ['Bearer CANARY-far', 403, 'Address'],
    ['Bearer CANARY-many', 429, 'TooMany'],
  ])('%s is answered with %i', async (authorization, code, reason) => {
    await using closed = await TestServer.start({ access })
    const response = await closed.get('/config/worker', { headers: { authorization } })
    expect(response.code).toBe(code)
    expect(code === 200 ? undefined : errorIn(response.text)['reason']).toBe(reason)
    expect(response.headers['www-authenticate']).toBe(code === 401 ? 'Bearer' : undefined)
    expect(response.headers['retry-after']).toBe(code === 429 ? '8' : undefined)
    expect(seen.at(-1)).toEqual(['worker', '127.0.0.1', authorization])
    expect(response.text + closed.logged).not.toContain('CANARY')
  })

  it('hides whether a pool exists, and does not apply to the health', async () => {
    await using closed = await TestServer.start({ access })
    expect((await closed.get('/config/does-not-exist')).code).toBe(401)
    expect((await closed.get('/healthz')).code).toBe(200)
  })

  it('that fails is an internal error without details', async () => {
    await using broken = await TestServer.start({
      access: () => {
        throw new Error('CANARY')
      },
    })
    const { code, text } = await broken.get('/config/worker')
    expect(code).toBe(500)
    expect(text).not.toContain('CANARY')
    expect(broken.logged).toContain('request failed')
  })
})
