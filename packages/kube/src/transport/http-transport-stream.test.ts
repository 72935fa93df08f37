import { getEventListeners } from 'node:events'
import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { until } from '@machinist/testing/until'
import { systemClock } from '@machinist/core/clock'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { answer, serve } from '@machinist/testing/servers/http-server'
import type { Access, Connection } from '../connection/connection.ts'
import { fixedConnection } from '../connection/connection.ts'
import { ApiFailure, ConnectionFailure } from '../failure.ts'
import { HttpTransport } from './http-transport.ts'
import { StreamRetired } from './transport.ts'

const nodesRequest = { method: 'GET', path: '/api/v1/nodes' } as const

const transportTo = (server: string, clock = systemClock): HttpTransport =>
  new HttpTransport({ clock, connection: fixedConnection({ server, tls: {}, headers: {} }) })

async function drained(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  let text = ''
  for await (const chunk of bytes) text += Buffer.from(chunk).toString()
  return text
}

const failureOf = async (promise: Promise<unknown>): Promise<unknown> =>
  await promise.then(
    () => 'no failure',
    (error: unknown) => error,
  )

describe('a stream', () => {
  it('yields bytes as they arrive and ends with the response', async () => {
    await using server = await serve((request, response) => {
      response.write(`accept-encoding: ${request.headers['accept-encoding']}`)
      response.end(' end')
    })
    const text = await drained(transportTo(server.url).stream(nodesRequest))
    expect(text).toBe('accept-encoding: undefined end')
  })

  it('throws an error response without a retry', async () => {
    let requests = 0
    await using server = await serve((_, response) => {
      requests++
      response.setHeader('retry-after', '1')
      answer(response, 429, {
        kind: 'Status',
        code: 429,
        reason: 'TooManyRequests',
        message: 'busy',
      })
    })
    const failure = await failureOf(drained(transportTo(server.url).stream(nodesRequest)))
    expect(failure).toBeInstanceOf(ApiFailure)
    expect(failure).toMatchObject({ code: 429, retryAfterMs: 1000 })
    expect(requests).toBe(1)
  })

  it('fails when the connection breaks', async () => {
    await using server = await serve((_, response) => {
      response.write('some')
      setImmediate(() => response.socket!.destroy())
    })
    const failure = await failureOf(drained(transportTo(server.url).stream(nodesRequest)))
    expect(failure).toBeInstanceOf(ConnectionFailure)
  })

  it('closes the socket when the caller stops reading', async () => {
    await using server = await serve((_, response) => response.write('first'))
    for await (const chunk of transportTo(server.url).stream(nodesRequest)) {
      expect(Buffer.from(chunk).toString()).toBe('first')
      break
    }
    await until('the server has no connection left', () => server.open === 0)
    expect(server.accepted).toBe(1)
  })

  it('ends when the caller aborts, and closes the socket immediately', async () => {
    const clock = new VirtualClock()
    await using server = await serve((_, response) => response.write('first'))
    const stop = new AbortController()
    const request = { ...nodesRequest, signal: stop.signal, idleMs: 1000 }
    const bytes = transportTo(server.url, clock).stream(request)[Symbol.asyncIterator]()
    expect((await bytes.next()).done).toBe(false)
    const pending = bytes.next()
    stop.abort()
    expect(await pending).toEqual({ done: true, value: undefined })

    const again = new AbortController()
    const idle = transportTo(server.url, clock).stream({ ...request, signal: again.signal })
    const unread = idle[Symbol.asyncIterator]()
    await unread.next()
    again.abort()
    await until('the server has no connection left', () => server.open === 0)
    expect(await unread.next()).toEqual({ done: true, value: undefined })
    expect(clock.pending).toBe(0)
  })

  it('leaves no listener on a long-lived signal', async () => {
    await using server = await serve((_, response) => response.end('{}'))
    const { signal } = new AbortController()
    const transport = transportTo(server.url)
    for (let i = 0; i < 3; i++) {
      await transport.request({ ...nodesRequest, signal })
      await drained(transport.stream({ ...nodesRequest, signal }))
    }
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it('sends nothing if the signal is already aborted', async () => {
    await using server = await serve((_, response) => response.end('never'))
    const signal = AbortSignal.abort()
    expect(await drained(transportTo(server.url).stream({ ...nodesRequest, signal }))).toBe('')
    expect(server.accepted).toBe(0)
  })
})

describe('the idle watchdog', () => {
  it('closes an idle stream, and every byte resets it', async () => {
    const clock = new VirtualClock()
    let write: ((text: string) => void) | undefined
    await using server = await serve((_, response) => {
      response.flushHeaders()
      write = (text) => response.write(text)
    })
    const stream = transportTo(server.url, clock).stream({ ...nodesRequest, idleMs: 1000 })
    const bytes = stream[Symbol.asyncIterator]()
    for (const text of ['a', 'b', 'c']) {
      const next = bytes.next()
      await until('the watchdog is armed', () => write !== undefined && clock.pending === 1)
      await clock.advance(900)
      write!(text)
      expect(Buffer.from((await next).value).toString()).toBe(text)
    }
    const failing = failureOf(bytes.next())
    await clock.advance(1000)
    const failure = await failing
    expect(failure).toBeInstanceOf(ConnectionFailure)
    expect(failure).toHaveProperty(
      'message',
      'GET /api/v1/nodes: the connection was closed: no data for 1 s',
    )
    await until('the server has no connection left', () => server.open === 0)
    expect(clock.pending).toBe(0)
  })

  it('includes the time before the first byte', async () => {
    const clock = new VirtualClock()
    let requests = 0
    await using server = await serve(() => requests++)
    for (const [idleMs, wait] of [
      [1000, 1000],
      [undefined, 60_000],
    ] as const) {
      const before = requests
      const failing = failureOf(
        drained(transportTo(server.url, clock).stream({ ...nodesRequest, idleMs })),
      )
      await until('the server received the request', () => requests > before)
      await clock.advance(wait)
      expect(await failing).toBeInstanceOf(ConnectionFailure)
    }
  })

  it('ignores the time of a slow consumer', async () => {
    const clock = new VirtualClock()
    let finish: (() => void) | undefined
    await using server = await serve((_, response) => {
      response.write('first')
      finish = () => response.end('last')
    })
    const texts: string[] = []
    for await (const chunk of transportTo(server.url, clock).stream({
      ...nodesRequest,
      idleMs: 1000,
    })) {
      texts.push(Buffer.from(chunk).toString())
      await clock.advance(10_000)
      finish!()
    }
    expect(texts.join(' ')).toBe('first last')
  })
})

it('a slow consumer blocks the server instead of filling the memory', async () => {
  const whole = 64 << 20
  let sent = 0
  await using server = await serve((_, response) => {
    const more = (): void => {
      let room = true
      while (room && sent < whole) {
        room = response.write(Buffer.alloc(65_536))
        sent += 65_536
      }
      if (sent >= whole) response.end()
    }
    response.on('drain', more)
    more()
  })
  const bytes = transportTo(server.url).stream(nodesRequest)[Symbol.asyncIterator]()
  let got = (await bytes.next()).value!.length
  // Wait until the server is blocked because all buffers are full.
  for (let before = -1, still = 0; still < 200; before = sent) {
    await new Promise((resolve) => setImmediate(resolve))
    still = before === sent ? still + 1 : 0
  }
  expect(sent).toBeLessThan(32 << 20)
  for (let next = await bytes.next(); !next.done; next = await bytes.next())
    got += next.value.length
  expect(got).toBe(whole)
})

describe('newer credentials', () => {
  /** A connection whose access the test changes. */
  function changing(
    first: Access,
  ): Connection & { change: (access: Access) => void; following: number } {
    const followers = new Set<(access: Access) => void>()
    let current = first
    return {
      access: () => Promise.resolve(current),
      renew: () => Promise.resolve(current),
      follow(changed) {
        followers.add(changed)
        return () => void followers.delete(changed)
      },
      change(access) {
        current = access
        for (const follower of followers) follower(access)
      },
      get following() {
        return followers.size
      },
    }
  }
  const access = (server: string, token: string): Access => ({
    server,
    tls: {},
    headers: { authorization: token },
  })

  it('retire the open stream, close idle connections, and are used by the next request', async () => {
    const seen: unknown[] = []
    await using server = await serve((request, response) => {
      seen.push([request.url, request.headers.authorization])
      if (request.url === '/stream') response.write('first')
      else answer(response, 200, {})
    })
    const connection = changing(access(server.url, 'old'))
    const transport = new HttpTransport({ clock: systemClock, connection })
    const bytes = transport.stream({ method: 'GET', path: '/stream' })[Symbol.asyncIterator]()
    await bytes.next()
    await transport.request({ method: 'GET', path: '/idle' })
    expect([server.open, connection.following]).toEqual([2, 1])

    const failing = failureOf(bytes.next())
    connection.change(access(server.url, 'new'))
    expect(await failing).toBeInstanceOf(StreamRetired)
    await until('the server has no connection left', () => server.open === 0)
    expect(connection.following).toBe(0)
    await transport.request({ method: 'GET', path: '/after' })
    expect(seen).toEqual([
      ['/stream', 'old'],
      ['/idle', 'old'],
      ['/after', 'new'],
    ])
  })

  it('let a request in flight finish, and its connection is not reused', async () => {
    let finish: (() => void) | undefined
    await using server = await serve((request, response) => {
      if (request.url === '/slow') finish = () => answer(response, 200, { done: true })
      else answer(response, 200, {})
    })
    const connection = changing(access(server.url, 'old'))
    const transport = new HttpTransport({ clock: systemClock, connection })
    const slow = transport.request({ method: 'GET', path: '/slow' })
    await until('the server received the request', () => finish !== undefined)
    connection.change(access(server.url, 'new'))
    await transport.request({ method: 'GET', path: '/quick' })
    finish!()
    expect((await slow).code).toBe(200)
    await until('the server has one connection left', () => server.open === 1)
    expect(server.accepted).toBe(2)
  })

  it('retire a stream that is being opened', async () => {
    let open: (() => void) | undefined
    await using server = await serve((_, response) => {
      open = () => response.write('first')
    })
    const connection = changing(access(server.url, 'old'))
    const bytes = new HttpTransport({ clock: systemClock, connection }).stream(nodesRequest)
    const failing = failureOf(drained(bytes))
    await until('the server received the request', () => open !== undefined)
    connection.change(access(server.url, 'new'))
    open!()
    expect(await failing).toBeInstanceOf(StreamRetired)
    await until('the server has no connection left', () => server.open === 0)
  })
})

it.skipIf(process.platform !== 'linux')('connections use TCP keep-alive', async () => {
  await using server = await serve((_, response) => response.write('first'))
  const stop = new AbortController()
  const bytes = transportTo(server.url).stream({ ...nodesRequest, signal: stop.signal })
  await bytes[Symbol.asyncIterator]().next()
  const port = Number(new URL(server.url).port).toString(16).toUpperCase().padStart(4, '0')
  const table = await readFile('/proc/net/tcp', 'utf8')
  const ours = table.split('\n').filter((line) => line.includes(`:${port} 01 `))
  // The timer column starts with 02 if keep-alive is active.
  expect(ours.map((line) => line.trim().split(/\s+/)[5]!.slice(0, 2))).toContain('02')
  stop.abort()
})
