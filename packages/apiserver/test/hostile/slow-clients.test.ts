import type { Socket } from 'node:net'
import { connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createAuthority } from '@machinist/testing/certificates/tls'
import { until } from '@machinist/testing/until'
import type { ConnectionTimeouts } from '../../src/http/api-http-server.ts'
import { adminToken, HostileServer } from './hostile-server.ts'

/** Short timeouts; each test shortens the relevant one further. */
const timeouts: ConnectionTimeouts = {
  handshakeTimeout: 60_000,
  headersTimeout: 60_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 60_000,
  readTimeout: 60_000,
  connectionsCheckingInterval: 20,
}

const servers: HostileServer[] = []
const sockets: Socket[] = []

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  for (const server of servers.splice(0)) await server.stop()
})

async function start(shorter: Partial<ConnectionTimeouts>): Promise<HostileServer> {
  const server = await HostileServer.start({ timeouts: { ...timeouts, ...shorter } })
  servers.push(server)
  return server
}

interface Client {
  readonly socket: Socket
  /** The response so far. */
  received: string
  closed: boolean
}

function open(url: string): Promise<Client> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => resolve(client))
    const client: Client = { socket, received: '', closed: false }
    sockets.push(socket)
    socket.on('data', (chunk) => (client.received += String(chunk)))
    socket.on('error', () => {})
    socket.on('close', () => (client.closed = true))
  })
}

const begun = `POST /api/v1/nodes HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${adminToken}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"meta`

const isReady = async (server: HostileServer): Promise<boolean> =>
  (await server.send({ path: '/readyz' })).text === 'ok'

describe('a client', { timeout: 120_000 }, () => {
  it('that sends nothing is disconnected', async () => {
    const server = await start({ headersTimeout: 100 })
    const client = await open(server.url)
    await until('it is closed', () => client.closed)
    expect(client.received).toBe('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n')
  })

  it('that never completes its headers is disconnected, even if it keeps sending', async () => {
    const server = await start({ headersTimeout: 200 })
    const client = await open(server.url)
    client.socket.write('GET /version HTTP/1.1\r\n')
    await until('it is closed', () => {
      if (!client.closed) client.socket.write('X: y\r\n')
      return client.closed
    })
    expect(client.received).toMatch(
      /^(HTTP\/1\.1 408 Request Timeout\r\nConnection: close\r\n\r\n)?$/,
    )
  })

  it('that never completes its body is disconnected, and nothing is written', async () => {
    const server = await start({ requestTimeout: 200, headersTimeout: 100 })
    const client = await open(server.url)
    client.socket.write(begun)
    await until('it is closed', () => client.closed)
    expect(client.received).toBe('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n')
    expect((await server.send({ path: '/api/v1/nodes' })).text).toContain('"items":[]')
  })

  it('that disconnects while sending its body leaves nothing behind', async () => {
    const server = await start({})
    const client = await open(server.url)
    client.socket.write(begun)
    await until('all is sent', () => client.socket.writableLength === 0)
    client.socket.destroy()
    expect(await isReady(server)).toBe(true)
  })

  it('that stays connected after its response is disconnected', async () => {
    const server = await start({ keepAliveTimeout: 50 })
    const client = await open(server.url)
    client.socket.write('GET /version HTTP/1.1\r\nHost: x\r\n\r\n')
    await until('it is closed', () => client.closed)
    expect(client.received).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
  })

  it('that does not read its response is disconnected', async () => {
    const server = await start({ readTimeout: 200 })
    await fill(server)
    const client = await open(server.url)
    client.socket.pause()
    client.socket.write(
      `GET /api/v1/configmaps HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${adminToken}\r\n\r\n`,
    )
    // A connection that is not read shows that it is closed only by accepting no more data.
    await until('it takes no more', () => {
      if (!client.closed) client.socket.write('X')
      return client.closed
    })
    expect(client.received).toBe('')
    expect(await isReady(server)).toBe(true)
  })

  it('that watches and never reads is disconnected; one that reads continues', async () => {
    const server = await start({ readTimeout: 200 })
    const watch = `GET /api/v1/configmaps?watch=1&resourceVersion=0 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${adminToken}\r\n\r\n`
    const [deaf, quiet] = [await open(server.url), await open(server.url)]
    deaf.socket.pause()
    for (const { socket } of [deaf, quiet]) socket.write(watch)
    await until('the watch has begun', () => quiet.received.includes('\r\n\r\n'))
    await fill(server)
    await until('it takes no more', () => {
      if (!deaf.closed) deaf.socket.write('X')
      return deaf.closed
    })
    const last = '{"metadata":{"name":"last"}}'
    const path = '/api/v1/namespaces/default/configmaps'
    await server.send({ method: 'POST', path, body: last })
    await until('the other one hears the last', () => quiet.received.includes('"name":"last"'))
    expect(quiet.closed).toBe(false)
  })

  it('that is sending its body does not block the shutdown', async () => {
    const server = await HostileServer.start({ timeouts })
    const client = await open(server.url)
    client.socket.write(begun)
    await until('the request has begun', () => isReady(server))
    await server.stop()
    await until('it is closed', () => client.closed)
    expect(client.received).toBe('')
    expect(server.log).toEqual([])
  })

  it('that never completes the handshake is disconnected', async () => {
    const { certificate, key } = createAuthority('slow').issueServer()
    const server = await HostileServer.start({
      timeouts: { ...timeouts, handshakeTimeout: 100 },
      tls: { cert: certificate, key },
    })
    const [silent, garbage, plain] = await Promise.all([1, 2, 3].map(() => open(server.url)))
    garbage!.socket.write(Buffer.alloc(300, 0xa5))
    plain!.socket.write('GET /version HTTP/1.1\r\nHost: x\r\n\r\n')
    for (const client of [silent, garbage, plain]) {
      await until('it is closed', () => client!.closed)
    }
    expect(plain!.received).not.toContain('200')
    expect(server.log).toEqual([])
    await server.stop()
  })

  it('with two thousand connections is disconnected, and others are served', async () => {
    const server = await start({ headersTimeout: 300 })
    const clients: Client[] = []
    // Limited to the kernel's accept queue, which drops further connections silently.
    for (let i = 0; i < 40; i++) {
      clients.push(...(await Promise.all(Array.from({ length: 50 }, () => open(server.url)))))
    }
    expect(await isReady(server)).toBe(true)
    await until('all are closed', () => clients.every(({ closed }) => closed))
    expect(await isReady(server)).toBe(true)
  })
})

/** More than the kernel buffers for a client that does not read. */
async function fill(server: HostileServer): Promise<void> {
  const filler = 'x'.repeat(900_000)
  for (let i = 0; i < 15; i++) {
    const body = `{"metadata":{"name":"filler-${i}"},"data":{"a":"${filler}"}}`
    await server.send({
      method: 'POST',
      path: '/api/v1/namespaces/default/configmaps',
      body,
    })
  }
}
