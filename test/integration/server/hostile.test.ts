import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import type { ConnectionOptions, TLSSocket } from 'node:tls'
import { connect as connectTls } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { until } from '@machinist/testing/until'
import { renderedConfig, serverState } from '../../../src/server/answer/state.fixture.ts'
import type { RawClient } from './running-server.ts'
import { authority, TestServer } from './running-server.ts'

const good = 'GET /config/worker HTTP/1.1\r\nHost: x\r\n\r\n'
const closed = (client: RawClient): Promise<void> =>
  until('the server closes the connection', () => client.isClosed)
const isServed = async (server: TestServer): Promise<boolean> =>
  (await server.get('/config/worker')).code === 200 &&
  (await server.getSecure('/config/worker')).code === 200

/** Larger than the buffers of a socket, so that a client that does not read blocks the response. */
const largeState = () => {
  const source = `data:,${'a'.repeat(12_000_000)}`
  const storage = { files: [{ path: '/large', contents: { source } }] }
  return serverState(renderedConfig({ config: { ignition: { version: '3.5.0' }, storage } }))
}

describe('a slow client', () => {
  it('that sends nothing is disconnected', async () => {
    await using server = await TestServer.start({ limits: { headersMs: 100, handshakeMs: 100 } })
    const [plain, secure] = [await server.open(), await server.open(server.secure)]
    await Promise.all([closed(plain), closed(secure)])
    expect(plain.received).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/)
    expect(secure.received).toBe('')
    expect(await isServed(server)).toBe(true)
    expect(server.metrics.text()).toContain(
      'machinist_server_connections_closed_total{reason="slow request"} 1\n',
    )
  })

  it('that never completes its headers is disconnected, even if it keeps sending', async () => {
    await using server = await TestServer.start({ limits: { headersMs: 200 } })
    const client = await server.open()
    client.socket.on('error', () => {})
    client.socket.write('GET /config/worker HTTP/1.1\r\n')
    await until('it is closed', () => {
      if (!client.isClosed) client.socket.write('X: y\r\n')
      return client.isClosed
    })
    expect(client.received).not.toContain('200')
  })

  it('that stays connected after its response is disconnected', async () => {
    await using server = await TestServer.start({ limits: { idleMs: 50 } })
    const client = await server.open()
    client.socket.write(good)
    await closed(client)
    expect(client.received).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
  })

  it('that does not read its response is disconnected, with and without TLS', async () => {
    await using server = await TestServer.start({
      state: largeState(),
      limits: { stallMs: 200, idleMs: 60_000 },
    })
    const client = await server.open()
    client.socket.on('error', () => {})
    client.socket.pause()
    client.socket.write(good)
    const secure = await openTls(server, {})
    secure.on('error', () => {})
    secure.pause()
    secure.write(good)
    await until('both are closed', () =>
      server.metrics.text().includes('{reason="slow reader"} 2\n'),
    )
    expect(await isServed(server)).toBe(true)
    secure.destroy()
  })

  it('that reads slowly, but reads, gets all of its config', async () => {
    await using server = await TestServer.start({ state: largeState(), limits: { stallMs: 5000 } })
    const socket = await openTls(server, {})
    socket.write('GET /config/worker HTTP/1.0\r\n\r\n')
    let received = 0
    let pauses = 0
    socket.on('data', (chunk: Buffer) => {
      received += chunk.length
      if (pauses++ % 50 !== 0) return
      socket.pause()
      setImmediate(() => socket.resume())
    })
    await once(socket, 'close')
    expect(received).toBeGreaterThan(12_000_000)
  })
})

describe('a hostile request', () => {
  it.each([
    ['headers of more than 16 kB', `GET / HTTP/1.1\r\nX: ${'a'.repeat(17_000)}\r\n\r\n`, 431],
    ['many headers', `GET / HTTP/1.1\r\n${'X: y\r\n'.repeat(5000)}\r\n`, 431],
    ['a path of 80,000 slashes', `GET ${'/'.repeat(80_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
    [
      '15,000 slashes',
      `GET /config/${'/'.repeat(15_000)} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
      404,
    ],
    [
      'a step up',
      'GET /config/../config/worker HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      404,
    ],
    [
      'an encoded slash',
      'GET /config/worker%2f..%2fworker HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      404,
    ],
    [
      'an encoded zero byte',
      'GET /config/worker%00 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      404,
    ],
    ['a zero byte', 'GET /config/worker\0 HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    [
      'the form of a proxy',
      'GET http://x/config/worker HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      404,
    ],
    ['another protocol', 'SSH-2.0-OpenSSH_9.9\r\n', 400],
    ['a handshake of TLS without TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
    ['no host', 'GET /config/worker HTTP/1.1\r\n\r\n', 400],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 505],
    [
      'two lengths',
      'GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      400,
    ],
    [
      'a length and chunks',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      400,
    ],
  ])('with %s is refused', async (_, bytes, status) => {
    await using server = await TestServer.start({ limits: { idleMs: 100 } })
    const client = await server.open()
    client.socket.on('error', () => {})
    client.socket.write(bytes, 'latin1')
    await closed(client)
    // The server may reset the connection of a client that still sends.
    expect(client.received.slice(0, 12)).toBeOneOf([
      `HTTP/1.1 ${status}`,
      status === 505 ? 'HTTP/1.1 400' : '',
    ])
    expect(await isServed(server)).toBe(true)
  })

  it('with a body is answered, and the body is not read', async () => {
    await using server = await TestServer.start()
    const client = await server.open()
    client.socket.on('error', () => {})
    client.socket.write(
      `GET /config/worker HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\n`,
    )
    await closed(client)
    expect(client.received).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(client.received).toContain('Connection: close\r\n')
  })

  it('that expects a permission to send its body is answered without it', async () => {
    await using server = await TestServer.start()
    const client = await server.open()
    client.socket.write(
      'POST /config/worker HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n',
    )
    await closed(client)
    expect(client.received).toMatch(/^HTTP\/1\.1 405 /)
  })

  it('for an upgrade of the protocol is answered without one', async () => {
    await using server = await TestServer.start({ limits: { idleMs: 50 } })
    const client = await server.open()
    client.socket.write(
      'GET /config/worker HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n\r\n',
    )
    await closed(client)
    expect(client.received).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
  })

  it('for a tunnel ends the connection', async () => {
    await using server = await TestServer.start()
    const client = await server.open()
    client.socket.write('CONNECT other:443 HTTP/1.1\r\nHost: other\r\n\r\n')
    await closed(client)
    expect(client.received).not.toContain('200')
  })

  it('before the response of the last one is answered, up to a limit', async () => {
    await using server = await TestServer.start({
      limits: { maxRequestsPerConnection: 5, idleMs: 100 },
    })
    const client = await server.open()
    client.socket.write(good.repeat(50))
    await closed(client)
    expect(client.received.split('HTTP/1.1 200 OK').length - 1).toBe(5)
    expect(await isServed(server)).toBe(true)
  })
})

describe('TLS', () => {
  it.each<[string, ConnectionOptions]>([
    ['1.2', { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' }],
    ['1.3', { minVersion: 'TLSv1.3' }],
  ])('%s is accepted', async (_, options) => {
    await using server = await TestServer.start()
    const { code } = await server.getSecure('/config/worker', options)
    expect(code).toBe(200)
  })

  it.each<[string, ConnectionOptions]>([
    ['1.1', { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }],
    ['without a common cipher', { maxVersion: 'TLSv1.2', ciphers: 'AES128-SHA' }],
    ['for HTTP/2 only', { ALPNProtocols: ['h2'] }],
  ])('%s is refused', async (_, options) => {
    await using server = await TestServer.start()
    await expect(openTls(server, options)).rejects.toBeInstanceOf(Error)
    await until('it is counted', () => server.metrics.text().includes('{reason="TLS failure"} 1\n'))
    expect(await isServed(server)).toBe(true)
  })

  it('with HTTP/2 is refused', async () => {
    await using server = await TestServer.start()
    const session = connectHttp2(server.secure, { ca: authority.certificate })
    const [error] = (await once(session, 'error')) as [Error]
    expect(error).toBeInstanceOf(Error)
    session.destroy()
  })

  it('with garbage is refused', async () => {
    await using server = await TestServer.start()
    const client = await server.open(server.secure)
    client.socket.on('error', () => {})
    client.socket.write(good)
    await closed(client)
    expect(client.received).not.toContain('200')
    expect(await isServed(server)).toBe(true)
  })
})

describe('many connections', () => {
  it('that are idle make room for new clients, the longest idle first', async () => {
    await using server = await TestServer.start({ limits: { maxConnections: 20 } })
    const idle: RawClient[] = []
    for (let i = 0; i < 25; i++) {
      const client = await server.open(i % 2 ? server.plain : server.secure)
      client.socket.on('error', () => {})
      idle.push(client)
    }
    await until('five are closed', () => idle.slice(0, 5).every(({ isClosed }) => isClosed))
    expect(await isServed(server)).toBe(true)
    expect(idle.slice(7).every(({ isClosed }) => !isClosed)).toBe(true)
  })

  it('that receive a config are kept: a new one is closed', async () => {
    await using server = await TestServer.start({
      state: largeState(),
      limits: { maxConnections: 3, stallMs: 60_000 },
    })
    const busy = [await server.open(), await server.open(), await server.open()]
    for (const { socket } of busy) {
      socket.pause()
      socket.on('error', () => {})
      socket.write(good)
    }
    await until('all are served', () =>
      /served a config(.|\n)*served a config(.|\n)*served a config/.test(server.logged),
    )
    const late = await server.open()
    await closed(late)
    expect(busy.every(({ isClosed }) => !isClosed)).toBe(true)
    for (const { socket } of busy) socket.destroy()
    await until('there is room again', async () => {
      const code = await server.get('/healthz').then(
        (response) => response.code,
        () => 0,
      )
      return code === 200
    })
  })

  it('of thousands of clients are all accepted or closed, and others are served', async () => {
    await using server = await TestServer.start({ limits: { maxConnections: 500 } })
    const idle: RawClient[] = []
    for (let i = 0; i < 2000; i++) {
      const client = await server.open()
      client.socket.on('error', () => {})
      idle.push(client)
    }
    expect(await isServed(server)).toBe(true)
    await until(
      'the others are closed',
      () => idle.filter(({ isClosed }) => !isClosed).length <= 500,
    )
    expect(server.metrics.text()).toMatch(/^machinist_server_connections (4\d\d|500)$/m)
    // One line for all of them.
    expect(server.logged.split('closed a connection')).toHaveLength(2)
  })
})

it('connections that are reused get several configs', async () => {
  await using server = await TestServer.start()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ports = new Set<number>()
  for (let i = 0; i < 3; i++) {
    const request = get(`${server.plain}/config/worker`, { agent })
    const [response] = (await once(request, 'response')) as [NodeJS.ReadableStream]
    ports.add(request.socket!.localPort!)
    response.resume()
    await once(response, 'end')
  }
  expect(ports.size).toBe(1)
  agent.destroy()
})

it('a stop lets responses in progress finish', async () => {
  await using server = await TestServer.start({ state: largeState() })
  const client = await server.open()
  client.socket.pause()
  client.socket.write(good)
  await until('it is served', () => server.logged.includes('served a config'))
  const stopped = server.stop()
  client.socket.resume()
  await stopped
  await closed(client)
  expect(client.received.length).toBeGreaterThan(12_000_000)
})

function openTls(server: TestServer, options: ConnectionOptions): Promise<TLSSocket> {
  const { hostname: host, port } = new URL(server.secure)
  return new Promise((resolve, reject) => {
    const socket = connectTls(
      { host, port: Number(port), ca: authority.certificate, servername: 'localhost', ...options },
      () => resolve(socket),
    )
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('the connection was closed')))
  })
}
