import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adminToken, HostileServer } from './hostile-server.ts'
import { exchange } from './raw-exchange.ts'

let server: HostileServer

beforeAll(async () => {
  server = await HostileServer.start()
})

afterAll(() => server.stop())

const badRequest = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n'
const authorized = `Host: x\r\nAuthorization: Bearer ${adminToken}\r\n`

describe('a request that is not HTTP', () => {
  it.each([
    ['a request line of nothing', '\r\n\r\n\r\nX\r\n\r\n'],
    ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['a TLS greeting', Buffer.from('16030100c8010000c40303a5a5a5a5', 'hex')],
    ['noise', Buffer.from(Array.from({ length: 300 }, (_, i) => (i * 37 + 11) % 256))],
    ['a header without a colon', 'GET /version HTTP/1.1\r\nnonsense\r\n\r\n'],
    ['a header with a NUL', 'GET /version HTTP/1.1\r\nHost: a\0b\r\n\r\n'],
    ['a version that is none', 'GET /version HTTP/9.9\r\nHost: x\r\n\r\n'],
    [
      'two lengths',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
    ],
    [
      'a length and chunks',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a negative length', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n'],
    ['a method of nobody', 'BREW /version HTTP/1.1\r\nHost: x\r\n\r\n'],
  ])('%s: gets an error, and the connection is closed', async (_what, bytes) => {
    expect(await exchange(server.url, bytes)).toBe(badRequest)
  })

  it('with an invalid chunk size is rejected', async () => {
    const received = await exchange(
      server.url,
      `POST /api/v1/nodes HTTP/1.1\r\n${authorized}Transfer-Encoding: chunked\r\n\r\nzz\r\nab\r\n`,
    )
    expect(received).toBe(badRequest)
  })

  it('with endless headers is rejected', async () => {
    const received = await exchange(
      server.url,
      `GET /version HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(1_100_000)}\r\n\r\n`,
    )
    expect(received).toBe(
      'HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\n\r\n',
    )
  })

  it.each([
    ['headers', `GET /version HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(131_072)}\r\n\r\n`],
    ['a path', `GET /x${'/'.repeat(131_072)}x HTTP/1.1\r\nHost: x\r\n\r\n`],
  ])('with %s of more than 128 kB is rejected', async (_what, bytes) => {
    const received = await exchange(server.url, bytes)
    expect(received).toBe(
      'HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\n\r\n',
    )
  })

  it('with more than 1,000 parameters is rejected', async () => {
    const received = await exchange(
      server.url,
      `GET /version?${'a&'.repeat(1000)} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    )
    expect(received).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
  })

  it('with a token of 100 kB is unauthorized', async () => {
    const token = 'a'.repeat(100_000)
    const received = await exchange(
      server.url,
      `GET /api/v1/nodes HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`,
    )
    expect(received).toMatch(/^HTTP\/1\.1 401 Unauthorized\r\n/)
  })

  it('cannot open a tunnel', async () => {
    expect(await exchange(server.url, 'CONNECT example:443 HTTP/1.1\r\nHost: x\r\n\r\n')).toBe('')
  })
})

describe('an unusual HTTP request', () => {
  it('with HTTP/0.9 is answered and closed', async () => {
    const received = await exchange(server.url, 'GET /version\r\n\r\n')
    expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n(.+\r\n)+Connection: close\r\n/)
  })

  it('in a pipeline is answered in order', async () => {
    const paths = ['/version', '/api/v1/nodes/absent', '/readyz', '/nope']
    const requests = paths.map((path, i) => {
      const last = i === paths.length - 1 ? 'Connection: close\r\n' : ''
      return `GET ${path} HTTP/1.1\r\n${authorized}${last}\r\n`
    })
    const received = await exchange(server.url, requests.join(''))
    const codes = [...received.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, code]) => code)
    expect(codes).toEqual(['200', '404', '200', '404'])
  })

  it('with an unsupported upgrade is answered as without', async () => {
    const received = await exchange(
      server.url,
      `GET /version HTTP/1.1\r\n${authorized}Connection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n`,
    )
    expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
  })

  it('with Expect: 100-continue gets 100', async () => {
    const body = '{"metadata":{"name":"expected"}}'
    const received = await exchange(
      server.url,
      `POST /api/v1/nodes HTTP/1.1\r\n${authorized}Connection: close\r\nExpect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
    expect(received).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 Created\r\n/)
  })

  it('with another expectation is rejected', async () => {
    const { code } = await server.send({ path: '/version', headers: { expect: 'banana' } })
    expect(code).toBe(417)
  })
})

describe('a body of more than 3 MiB', () => {
  const large = `{"metadata":{"name":"large"},"data":{"a":"${'x'.repeat(3 * 1024 * 1024)}"}}`

  it.each([
    ['whose length is known', false],
    ['in chunks', true],
  ])('%s: 413', async (_what, chunked) => {
    const { code, headers, text } = await server.send({
      method: 'POST',
      path: '/api/v1/namespaces/default/configmaps',
      body: large,
      chunked,
    })
    expect(code).toBe(413)
    expect(headers['connection']).toBe('close')
    expect(JSON.parse(text)).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'Request entity too large: limit is 3145728',
      reason: 'RequestEntityTooLarge',
      code: 413,
    })
  })
})
