import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { until } from '@machinist/testing/until'
import { systemClock } from '@machinist/core/clock'
import { Metrics } from '@machinist/core/metrics'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { Handler } from '@machinist/testing/servers/http-server'
import { answer, serve } from '@machinist/testing/servers/http-server'
import type { Access, Connection } from '../connection/connection.ts'
import { fixedConnection } from '../connection/connection.ts'
import { ApiFailure, ConnectionFailure } from '../failure.ts'
import type { TransportOptions } from './http-transport.ts'
import { HttpTransport } from './http-transport.ts'
import { parseJsonBody } from './transport.ts'

const nodesRequest = { method: 'GET', path: '/api/v1/nodes' } as const

const plain = (server: string, headers: Access['headers'] = {}): Connection =>
  fixedConnection({ server, tls: {}, headers })

function transportTo(url: string, options: Partial<TransportOptions> = {}): HttpTransport {
  return new HttpTransport({ connection: plain(url), clock: systemClock, ...options })
}

/** A server and a transport. */
async function meeting(
  handler: Handler,
  options: Partial<TransportOptions> = {},
): Promise<{ server: Awaited<ReturnType<typeof serve>>; transport: HttpTransport }> {
  const server = await serve(handler)
  return { server, transport: transportTo(server.url, options) }
}

const failureOf = async (promise: Promise<unknown>): Promise<unknown> =>
  await promise.then(
    () => 'no failure',
    (error: unknown) => error,
  )

describe('one request', () => {
  it('sends method, path, query, body and headers, and returns the response', async () => {
    const seen: unknown[] = []
    await using server = await serve((request, response, body) => {
      const { host: _, ...headers } = request.headers
      seen.push({ method: request.method, url: request.url, headers, body })
      answer(response, 201, { kind: 'Node' })
    })
    const transport = transportTo(server.url, {
      version: '1.2.3',
      connection: plain(`${server.url}/base/`, { authorization: 'Bearer t' }),
    })
    const got = await transport.request({
      method: 'PATCH',
      path: '/api/v1/nodes/n1',
      query: { dryRun: 'All', labelSelector: 'a in (b,c)', empty: undefined, limit: 5 },
      body: { name: 'ümläut' },
      contentType: 'application/merge-patch+json',
    })
    expect({ ...got, body: parseJsonBody(nodesRequest, got) }).toEqual({
      code: 201,
      contentType: 'application/json',
      body: { kind: 'Node' },
    })
    expect(seen).toEqual([
      {
        method: 'PATCH',
        url: '/base/api/v1/nodes/n1?dryRun=All&labelSelector=a%20in%20(b%2Cc)&limit=5',
        body: '{"name":"ümläut"}',
        headers: {
          accept: 'application/json',
          'accept-encoding': 'gzip',
          authorization: 'Bearer t',
          connection: 'keep-alive',
          'content-length': '19',
          'content-type': 'application/merge-patch+json',
          'user-agent': 'machinist/1.2.3',
        },
      },
    ])
  })

  it('sends the caller in the User-Agent', async () => {
    const agents: (string | undefined)[] = []
    await using server = await serve((request, response) => {
      agents.push(request.headers['user-agent'])
      answer(response, 200, {})
    })
    const transport = transportTo(server.url, { version: '1.2.3', caller: 'worker-0' })
    await transport.request(nodesRequest)
    transport.close()
    expect(agents).toEqual(['machinist/1.2.3 (worker-0)'])
  })

  it('reuses the connection', async () => {
    await using server = await serve((_, response) => answer(response, 200, {}))
    const transport = transportTo(server.url)
    for (let i = 0; i < 5; i++) await transport.request(nodesRequest)
    expect(server.accepted).toBe(1)
    transport.close()
    await until('the server has no connection left', () => server.open === 0)
    expect(server.open).toBe(0)
  })

  it('reads a gzip response', async () => {
    await using server = await serve((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{"items":[1,2]}'))
    })
    const got = await transportTo(server.url).request(nodesRequest)
    expect(parseJsonBody(nodesRequest, got)).toEqual({ items: [1, 2] })
  })

  it('fails for an invalid response', async () => {
    await using server = await serve((request, response) => {
      if (request.url === '/zip')
        response.writeHead(200, { 'content-encoding': 'gzip' }).end('no zip')
      else response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')
    })
    const transport = transportTo(server.url)
    const failure = await failureOf(transport.request({ method: 'GET', path: '/zip' }))
    expect(failure).toBeInstanceOf(ConnectionFailure)
    expect(failure).toHaveProperty('message', 'GET /zip: the response is not valid gzip')
    const html = await transport.request({ method: 'GET', path: '/html' })
    expect(() => parseJsonBody(nodesRequest, html)).toThrow(
      'GET /api/v1/nodes: the response is not JSON (text/html, 6 bytes): check that the address is a Kubernetes API server',
    )
  })
})

describe('an error response', () => {
  it('contains the Status with its causes', async () => {
    const status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'nodes "n1" not found',
      reason: 'NotFound',
      details: { name: 'n1', kind: 'nodes', causes: [{ reason: 'R', message: 'M', field: 'f' }] },
      code: 404,
    }
    await using server = await serve((_, response) => answer(response, 404, status))
    const failure = await failureOf(transportTo(server.url).request(nodesRequest))
    expect(failure).toBeInstanceOf(ApiFailure)
    expect(failure).toMatchObject({
      code: 404,
      reason: 'NotFound',
      message: 'GET /api/v1/nodes: nodes "n1" not found',
      causes: [{ reason: 'R', message: 'M', field: 'f' }],
      retryAfterMs: undefined,
    })
  })

  it('without a Status is described by its code, and the body is never quoted', async () => {
    await using server = await serve((request, response) => {
      response.writeHead(Number(request.url!.slice(1))).end('<html>password=hunter2</html>')
    })
    const transport = transportTo(server.url)
    const reasons: unknown[] = []
    for (const code of [302, 400, 401, 403, 404, 409, 410, 422, 500, 502]) {
      const failure = await failureOf(transport.request({ method: 'GET', path: `/${code}` }))
      expect(String(failure)).not.toContain('hunter2')
      reasons.push([(failure as ApiFailure).code, (failure as ApiFailure).reason])
    }
    expect(reasons).toEqual([
      [302, ''],
      [400, 'BadRequest'],
      [401, 'Unauthorized'],
      [403, 'Forbidden'],
      [404, 'NotFound'],
      [409, 'Conflict'],
      [410, 'Gone'],
      [422, 'Invalid'],
      [500, 'InternalError'],
      [502, ''],
    ])
    const post = await failureOf(transport.request({ method: 'POST', path: '/409', body: {} }))
    expect(post).toHaveProperty('reason', 'AlreadyExists')
    expect(post).toHaveProperty(
      'message',
      'POST /409: the server returned 409 (Conflict) without a Status',
    )
  })

  it('is read up to a limit', async () => {
    let sent = 0
    await using server = await serve((_, response) => {
      response.writeHead(500)
      const more = (): void => {
        while (sent < 100 << 20 && response.write(Buffer.alloc(65_536))) sent += 65_536
      }
      response.on('drain', more)
      more()
    })
    const failure = await failureOf(transportTo(server.url).request(nodesRequest))
    expect(failure).toMatchObject({ code: 500, reason: 'InternalError' })
    await until('the server has no connection left', () => server.open === 0)
    expect(sent).toBeLessThan(50 << 20)
  })
})

describe('an overloaded server', () => {
  const busy = (response: Parameters<Handler>[1], code: number): void => {
    response.writeHead(code, { 'retry-after': '2' }).end()
  }

  it('gets retries of reads after the requested delay', async () => {
    const clock = new VirtualClock()
    const at: number[] = []
    const { server, transport } = await meeting(
      (_, response) => {
        at.push(clock.elapsed())
        if (at.length < 3) busy(response, at.length === 1 ? 429 : 503)
        else answer(response, 200, {})
      },
      { clock },
    )
    await using _ = server
    const got = transport.request(nodesRequest)
    // Two tasks: the deadline and the delay.
    for (const count of [1, 2]) {
      await until('the client waits', () => at.length === count && clock.pending === 2)
      await clock.advance(2000)
    }
    expect((await got).code).toBe(200)
    expect(at).toEqual([0, 2000, 4000])
  })

  it('gets at most four attempts, and one for writes', async () => {
    const clock = new VirtualClock()
    let count = 0
    const { server, transport } = await meeting(
      (_, response) => {
        count++
        busy(response, 429)
      },
      { clock },
    )
    await using _ = server
    const failing = failureOf(transport.request(nodesRequest))
    for (const tries of [1, 2, 3]) {
      await until('the client waits', () => count === tries && clock.pending === 2)
      await clock.advance(2000)
    }
    expect(await failing).toMatchObject({ code: 429, retryAfterMs: 2000 })
    expect(count).toBe(4)
    await failureOf(transport.request({ method: 'POST', path: '/x', body: {} }))
    expect(count).toBe(5)
    expect(clock.pending).toBe(0)
  })

  it('gets no retry if the delay exceeds the deadline', async () => {
    const { server, transport } = await meeting((_, response) => busy(response, 503))
    await using _ = server
    const failure = await failureOf(transport.request({ ...nodesRequest, timeoutMs: 1500 }))
    expect(failure).toMatchObject({ code: 503, retryAfterMs: 2000 })
  })
})

describe('an aborted request', () => {
  it('closes the socket at the deadline', async () => {
    const clock = new VirtualClock()
    let requests = 0
    const { server, transport } = await meeting(() => requests++, { clock })
    await using _ = server
    const failing = failureOf(transport.request(nodesRequest))
    await until('the server received the request', () => requests === 1)
    await clock.advance(60_000)
    const failure = await failing
    expect(failure).toBeInstanceOf(ConnectionFailure)
    expect(failure).toHaveProperty('message', 'GET /api/v1/nodes: no complete response within 60 s')
    await until('the server has no connection left', () => server.open === 0)
    expect(clock.pending).toBe(0)
  })

  it('rejects with the reason of the signal, before and during the response', async () => {
    const clock = new VirtualClock()
    let requests = 0
    const { server, transport } = await meeting(
      (request, response) => {
        requests++
        if (request.url === '/half')
          response.writeHead(200, { 'content-length': '10' }).write('half')
      },
      { clock },
    )
    await using _ = server
    const reason = new Error('stopped by the test')
    const early = transport.request({ ...nodesRequest, signal: AbortSignal.abort(reason) })
    expect(await failureOf(early)).toBe(reason)
    for (const path of ['/silent', '/half']) {
      const before = requests
      const stop = new AbortController()
      const failing = failureOf(transport.request({ method: 'GET', path, signal: stop.signal }))
      await until('the server received the request', () => requests > before)
      stop.abort(reason)
      expect(await failing).toBe(reason)
      await until('the server has no connection left', () => server.open === 0)
    }
    expect(clock.pending).toBe(0)
  })

  it('does not wait for credentials', async () => {
    const clock = new VirtualClock()
    const never = new Promise<Access>(() => {})
    const connection = { access: () => never, renew: () => never, follow: () => () => {} }
    const transport = new HttpTransport({ connection, clock })
    const late = failureOf(transport.request(nodesRequest))
    await clock.advance(60_000)
    expect(await late).toBeInstanceOf(ConnectionFailure)
    const stop = new AbortController()
    const aborted = failureOf(transport.request({ ...nodesRequest, signal: stop.signal }))
    const reason = new Error('stopped by the test')
    stop.abort(reason)
    expect(await aborted).toBe(reason)
  })

  it('names an unreachable server', async () => {
    const server = await serve(() => {})
    await server[Symbol.asyncDispose]()
    const failure = await failureOf(transportTo(server.url).request(nodesRequest))
    expect(failure).toBeInstanceOf(ConnectionFailure)
    expect(String(failure)).toContain(`cannot reach ${new URL(server.url).host}: `)
    expect(String(failure)).toContain('ECONNREFUSED')
  })

  it('fails when the response is truncated', async () => {
    const { server, transport } = await meeting((_, response) => {
      response.writeHead(200, { 'content-length': '10' }).write('half')
      setImmediate(() => response.socket!.destroy())
    })
    await using _ = server
    const failure = await failureOf(transport.request(nodesRequest))
    expect(failure).toBeInstanceOf(ConnectionFailure)
    expect(String(failure)).toMatch(/the connection to 127\.0\.0\.1:\d+ was reset \(ECONNRESET\)/)
  })
})

describe('an idle connection that the server closed', () => {
  it('is retried for a read', async () => {
    let count = 0
    const { server, transport } = await meeting((request, response) => {
      count++
      // The server closes the connection at the second request, as after its idle timeout.
      if (count === 2) request.socket.resetAndDestroy()
      else answer(response, 200, { count })
    })
    await using _ = server
    await transport.request(nodesRequest)
    expect(parseJsonBody(nodesRequest, await transport.request(nodesRequest))).toEqual({ count: 3 })
    expect(server.accepted).toBe(2)
  })

  it('is not retried for a write, which may have been processed', async () => {
    let count = 0
    const { server, transport } = await meeting((request, response) => {
      if (++count === 2) request.socket.resetAndDestroy()
      else answer(response, 200, {})
    })
    await using _ = server
    await transport.request(nodesRequest)
    const failure = await failureOf(transport.request({ method: 'POST', path: '/x', body: {} }))
    expect(failure).toBeInstanceOf(ConnectionFailure)
    expect(count).toBe(2)
  })
})

it('exposes the request metrics of client-go', async () => {
  const metrics = new Metrics()
  const clock = new VirtualClock()
  const { server, transport } = await meeting(
    (request, response) => answer(response, request.url === '/no' ? 404 : 200, {}),
    { metrics, clock },
  )
  const { host } = new URL(server.url)
  await transport.request(nodesRequest)
  await failureOf(transport.request({ method: 'DELETE', path: '/no' }))
  transport.close()
  await server[Symbol.asyncDispose]()
  await failureOf(transport.request(nodesRequest))
  const lines = metrics.text().split('\n')
  expect(lines).toContain(`rest_client_requests_total{code="200",method="GET",host="${host}"} 1`)
  expect(lines).toContain(`rest_client_requests_total{code="404",method="DELETE",host="${host}"} 1`)
  expect(lines).toContain(
    `rest_client_requests_total{code="<error>",method="GET",host="${host}"} 1`,
  )
  expect(lines).toContain(`rest_client_request_duration_seconds_count{verb="GET",host="${host}"} 2`)
})
