import { mkdtempDisposable, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { describe, expect, it } from 'vitest'
import type { KeyPair } from '@machinist/testing/certificates/tls'
import { createAuthority } from '@machinist/testing/certificates/tls'
import { until } from '@machinist/testing/until'
import type { Logger } from '@machinist/core/log'
import { silentLogger } from '@machinist/core/log'
import type { KubeObject } from '@machinist/core/objects/resource'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { TestServer } from '@machinist/testing/servers/http-server'
import { answer, serve } from '@machinist/testing/servers/http-server'
import { KubeClient } from '../client/client.ts'
import { nodes } from '../kinds/core.ts'
import type { WatchEvent } from '../list-watch.ts'
import { HttpTransport } from '../transport/http-transport.ts'
import type { Access, Connection } from './connection.ts'
import { connectTo } from './credentials.ts'
import { realFiles } from './files.ts'
import type { Target } from './target.ts'

const noPlugin = (): never => {
  throw new Error('no plugin here')
}

/** Replaces a file atomically, as Kubernetes does with mounted files. */
async function put(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text)
  await rename(`${path}.new`, path)
}

const tlsOf = ({ certificate: cert, key }: KeyPair): { cert: string; key: string } => ({
  cert,
  key,
})

interface Meeting extends AsyncDisposable {
  readonly server: TestServer
  readonly clock: VirtualClock
  readonly client: KubeClient
  /** Aborted at the end of the test. */
  readonly signal: AbortSignal
  readonly errors: string[]
  /** The requests at the server: path, token and common name of the client certificate. */
  readonly asks: string[]
  /** The accepted tokens and names. */
  readonly accepted: Set<string>
}

/** A real HTTPS server that requires a token or a client certificate, and a client with credentials in files. */
async function meet(
  serving: KeyPair,
  clientCa: string,
  target: Omit<Target, 'server' | 'origin'>,
): Promise<Meeting> {
  const asks: string[] = []
  const errors: string[] = []
  const accepted = new Set<string>()
  const over = new AbortController()
  const clock = new VirtualClock()
  const tls = { ...tlsOf(serving), ca: clientCa, requestCert: true, rejectUnauthorized: false }
  const server = await serve((request, response) => {
    const { authorization = '' } = request.headers
    const socket = request.socket as TLSSocket
    const name = socket.authorized ? String(socket.getPeerCertificate().subject?.CN) : ''
    const who = authorization.replace('Bearer ', '') || name
    const watch = request.url!.includes('watch=true')
    asks.push(`${watch ? 'watch' : 'get'} as ${who}`)
    if (!accepted.has(who)) {
      return answer(response, 401, { kind: 'Status', code: 401, message: 'Unauthorized' })
    }
    const metadata = { name: who, resourceVersion: '7' }
    if (!watch) return answer(response, 200, { kind: 'Node', metadata })
    response.write(`${JSON.stringify({ type: 'ADDED', object: { metadata } })}\n`)
  }, tls)
  const logger: Logger = {
    ...silentLogger,
    error: (message, error) => void errors.push(`${message}: ${(error as Error).message}`),
  }
  const connection = connectTo({
    target: { ...target, server: server.url, origin: 'the test' },
    files: realFiles,
    run: noPlugin,
    clock,
    logger,
  })
  const transport = new HttpTransport({ connection, clock })
  const client = new KubeClient({ transport, clock })
  return {
    server,
    clock,
    client,
    signal: over.signal,
    errors,
    asks,
    accepted,
    async [Symbol.asyncDispose]() {
      over.abort()
      transport.close()
      await server[Symbol.asyncDispose]()
    },
  }
}

/** Opens a watch and waits for its first event. */
async function watching({
  client,
  signal,
}: Meeting): Promise<{ first: string; rest: Promise<IteratorResult<WatchEvent<KubeObject>>> }> {
  const events = client.watch(nodes, {}, signal)[Symbol.asyncIterator]()
  const { value } = await events.next()
  const first = value && 'object' in value ? value.object.metadata.name : ''
  return { first, rest: events.next() }
}

const ended = { done: true, value: undefined }

describe('under an open watch, with real TLS', () => {
  it('a new token ends the watch without an error, and it reopens with the new token', async () => {
    await using dir = await mkdtempDisposable(join(tmpdir(), 'machinist-credentials-'))
    const ca = createAuthority('server-ca')
    const files = { ca: join(dir.path, 'ca.crt'), token: join(dir.path, 'token') }
    await put(files.ca, ca.certificate)
    await put(files.token, 'token-1\n')
    await using meeting = await meet(ca.issueServer(), ca.certificate, {
      ca: { file: files.ca },
      token: { file: files.token },
    })
    const { clock, accepted, asks, server } = meeting
    accepted.add('token-1').add('token-2')
    const { first, rest } = await watching(meeting)
    expect(first).toBe('token-1')

    await put(files.token, 'token-2\n')
    await clock.advance(9_999)
    expect(server.open).toBe(1)
    await clock.advance(1)
    expect(await rest).toEqual(ended)
    await until('the server has no connection left', () => server.open === 0)
    expect((await watching(meeting)).first).toBe('token-2')
    expect(asks).toEqual(['watch as token-1', 'watch as token-2'])
  })

  it('a new CA bundle ends the watch, and a certificate of the new CA is accepted', async () => {
    await using dir = await mkdtempDisposable(join(tmpdir(), 'machinist-credentials-'))
    const [before, after] = [createAuthority('ca-1'), createAuthority('ca-2')]
    const caFile = join(dir.path, 'ca.crt')
    await put(caFile, before.certificate)
    await using meeting = await meet(before.issueServer(), before.certificate, {
      ca: { file: caFile },
      token: { text: 'token' },
    })
    const { clock, server, accepted } = meeting
    accepted.add('token')
    const { rest } = await watching(meeting)
    server.present(tlsOf(after.issueServer()))
    await put(caFile, after.certificate)
    await clock.advance(10_000)
    expect(await rest).toEqual(ended)
    expect((await watching(meeting)).first).toBe('token')
  })

  it('a new client certificate ends the watch, and the new one is presented', async () => {
    await using dir = await mkdtempDisposable(join(tmpdir(), 'machinist-credentials-'))
    const ca = createAuthority('ca')
    const [cert, key] = [join(dir.path, 'client.crt'), join(dir.path, 'client.key')]
    const present = async (pair: KeyPair): Promise<void> => {
      await put(cert, pair.certificate)
      await put(key, pair.key)
    }
    await present(ca.issueClient('node-1'))
    await using meeting = await meet(ca.issueServer(), ca.certificate, {
      ca: { text: ca.certificate },
      cert: { file: cert },
      key: { file: key },
    })
    const { clock, accepted, asks } = meeting
    accepted.add('node-1').add('node-2')
    const { first, rest } = await watching(meeting)
    expect(first).toBe('node-1')
    await present(ca.issueClient('node-2'))
    await clock.advance(10_000)
    expect(await rest).toEqual(ended)
    expect((await watching(meeting)).first).toBe('node-2')
    expect(asks).toEqual(['watch as node-1', 'watch as node-2'])
  })

  it('the watch stays open while the files do not change', async () => {
    await using dir = await mkdtempDisposable(join(tmpdir(), 'machinist-credentials-'))
    const ca = createAuthority('ca')
    const token = join(dir.path, 'token')
    await put(token, 'token-1')
    await using meeting = await meet(ca.issueServer(), ca.certificate, {
      ca: { text: ca.certificate },
      token: { file: token },
    })
    const { clock, server, accepted } = meeting
    accepted.add('token-1')
    await watching(meeting)
    // Another file with the same content.
    await put(token, ' token-1\n\n')
    await clock.advance(60_000)
    expect([server.open, server.accepted]).toEqual([1, 1])
  })
})

describe('a rejected request', () => {
  it('reads the files immediately after a 401 and retries', async () => {
    await using dir = await mkdtempDisposable(join(tmpdir(), 'machinist-credentials-'))
    const ca = createAuthority('ca')
    const token = join(dir.path, 'token')
    await put(token, 'token-1')
    await using meeting = await meet(ca.issueServer(), ca.certificate, {
      ca: { text: ca.certificate },
      token: { file: token },
    })
    const { client, accepted, asks } = meeting
    accepted.add('token-1')
    await client.get(nodes, { name: 'a' })
    await put(token, 'token-2')
    accepted.clear()
    accepted.add('token-2')
    expect((await client.get(nodes, { name: 'a' })).metadata.name).toBe('token-2')
    expect(asks).toEqual(['get as token-1', 'get as token-1', 'get as token-2'])

    accepted.clear()
    await expect(client.get(nodes, { name: 'a' })).rejects.toMatchObject({ code: 401 })
    expect(asks.slice(3)).toEqual(['get as token-2'])
  })

  it('reads the CA immediately after a TLS error and retries, even a write', async () => {
    await using dir = await mkdtempDisposable(join(tmpdir(), 'machinist-credentials-'))
    const [before, after] = [createAuthority('ca-1'), createAuthority('ca-2')]
    const caFile = join(dir.path, 'ca.crt')
    await put(caFile, before.certificate)
    await using meeting = await meet(after.issueServer(), before.certificate, {
      ca: { file: caFile },
      token: { text: 'token' },
    })
    const { client, accepted, asks } = meeting
    accepted.add('token')
    const node = { metadata: { name: 'a' } }
    await expect(client.create(nodes, node)).rejects.toThrow(/TLS handshake with 127\.0\.0\.1:\d+/)
    expect(asks).toEqual([])
    await put(caFile, after.certificate)
    await client.create(nodes, node)
    expect(asks).toEqual(['get as token'])
  })
})

describe('an invalid file', () => {
  it('keeps the last valid value, does not affect other items, and is logged once', async () => {
    await using dir = await mkdtempDisposable(join(tmpdir(), 'machinist-credentials-'))
    const ca = createAuthority('ca')
    const other = createAuthority('other')
    const paths = {
      ca: join(dir.path, 'ca.crt'),
      cert: join(dir.path, 'client.crt'),
      key: join(dir.path, 'client.key'),
      token: join(dir.path, 'token'),
    }
    const pair = ca.issueClient('node-1')
    await put(paths.ca, ca.certificate)
    await put(paths.cert, pair.certificate)
    await put(paths.key, pair.key)
    await put(paths.token, 'token-1')
    await using meeting = await meet(ca.issueServer(), ca.certificate, {
      ca: { file: paths.ca },
      cert: { file: paths.cert },
      key: { file: paths.key },
      token: { file: paths.token },
    })
    const { client, clock, accepted, asks, errors } = meeting
    accepted.add('token-1').add('token-2')
    const name = async (): Promise<string> => (await client.get(nodes, { name: 'a' })).metadata.name
    expect(await name()).toBe('token-1')

    // An incomplete bundle, a certificate without its key, and no token.
    await put(paths.ca, other.certificate.slice(0, -40))
    await put(paths.cert, ca.issueClient('node-2').certificate)
    await rm(paths.token)
    for (let i = 0; i < 3; i++) {
      await clock.advance(10_000)
      expect(await name()).toBe('token-1')
    }
    expect(errors.map((text) => text.replaceAll(dir.path, ''))).toEqual([
      'credential file is not usable, the last valid value stays in use: the certificate authority of the test (/ca.crt) is not usable: it contains a truncated certificate',
      'credential file is not usable, the last valid value stays in use: the client certificate of the test (/client.crt, /client.key) is not usable: the key is invalid or does not match the certificate',
      "credential file is not usable, the last valid value stays in use: the token of the test (/token) is not usable: ENOENT: no such file or directory, open '/token'",
    ])

    // One item becomes valid; the others keep their values.
    await put(paths.token, 'token-2')
    await clock.advance(10_000)
    expect(await name()).toBe('token-2')
    expect(errors).toHaveLength(3)
    // The same problem again after a valid value is logged again.
    await rm(paths.token)
    await clock.advance(10_000)
    expect(await name()).toBe('token-2')
    expect(errors).toHaveLength(4)
    expect(asks).toHaveLength(6)
  })

  it('is an error at the first use that names the file and the problem, without its content', async () => {
    await using dir = await mkdtempDisposable(join(tmpdir(), 'machinist-credentials-'))
    const token = join(dir.path, 'token')
    await put(token, 'sec ret')
    await using meeting = await meet(createAuthority('ca').issueServer(), '', {
      token: { file: token },
    })
    await expect(meeting.client.get(nodes, { name: 'a' })).rejects.toThrow(
      `the token of the test (${token}) is not usable: it does not contain a token`,
    )
    expect(meeting.asks).toEqual([])
  })
})

describe('polling', () => {
  const target: Target = { origin: 'the test', server: 'https://nowhere', token: { file: 't' } }

  function counted(text = { now: 'token-1' }): {
    connection: Connection
    clock: VirtualClock
    reads: () => number
    text: { now: string }
  } {
    const clock = new VirtualClock()
    let reads = 0
    const files = {
      read: () => {
        reads++
        return Promise.resolve(text.now)
      },
    }
    const connection = connectTo({ target, files, run: noPlugin, clock })
    return { connection, clock, reads: () => reads, text }
  }

  it('runs only while there is a follower', async () => {
    const { connection, clock, reads } = counted()
    await connection.access()
    expect([reads(), clock.pending]).toEqual([1, 0])
    const stop = [connection.follow(() => {}), connection.follow(() => {})]
    await clock.advance(35_000)
    expect([reads(), clock.pending]).toEqual([4, 1])
    stop[0]!()
    await clock.advance(10_000)
    expect([reads(), clock.pending]).toEqual([5, 1])
    stop[1]!()
    await clock.advance(100_000)
    expect([reads(), clock.pending]).toEqual([5, 0])
  })

  it('is replaced by a read at the next request after an idle time', async () => {
    const { connection, clock, reads, text } = counted()
    const first = await connection.access()
    text.now = 'token-2'
    await clock.advance(9_999)
    expect(await connection.access()).toBe(first)
    await clock.advance(1)
    expect((await connection.access()).headers).toEqual({ authorization: 'Bearer token-2' })
    expect(reads()).toBe(2)
  })

  it('notifies all followers once for each change', async () => {
    const { connection, clock, text } = counted()
    const seen: Access[] = []
    await connection.access()
    connection.follow((access) => seen.push(access))
    connection.follow((access) => seen.push(access))
    text.now = 'token-2'
    await clock.advance(30_000)
    expect(seen.map((access) => access.headers['authorization'])).toEqual([
      'Bearer token-2',
      'Bearer token-2',
    ])
    expect(seen[0]).toBe(seen[1])
  })

  it('reads once for many rejected requests', async () => {
    const { connection, reads, text } = counted()
    const refused = await connection.access()
    text.now = 'token-2'
    const renewed = await Promise.all([1, 2, 3].map(() => connection.renew(refused)))
    expect(new Set(renewed).size).toBe(1)
    expect(renewed[0]).not.toBe(refused)
    expect(await connection.renew(refused)).toBe(renewed[0])
    expect(reads()).toBe(2)
  })

  it('is not needed without files', async () => {
    const clock = new VirtualClock()
    const connection = connectTo({
      target: { origin: 'x', server: 'https://nowhere', token: { text: 't' } },
      files: { read: noPlugin },
      run: noPlugin,
      clock,
    })
    connection.follow(() => {})
    await connection.access()
    expect(clock.pending).toBe(0)
  })
})

describe('the identity', () => {
  it('is sent with every request: basic authentication and impersonation', async () => {
    const seen: unknown[] = []
    await using server = await serve((request, response) => {
      seen.push(
        Object.entries(request.headersDistinct).filter(([name]) =>
          /^(authorization|impersonate-)/.test(name),
        ),
      )
      answer(response, 200, { metadata: { name: 'a' } })
    })
    const clock = new VirtualClock()
    const connection = connectTo({
      target: {
        origin: 'the test',
        server: server.url,
        basic: { username: 'ann', password: 'pässword' },
        impersonate: {
          user: 'system:admin',
          uid: '42',
          groups: ['one', 'two'],
          extra: { 'example.com/why': ['on call'] },
        },
      },
      files: realFiles,
      run: noPlugin,
      clock,
    })
    const client = new KubeClient({ transport: new HttpTransport({ connection, clock }), clock })
    await client.get(nodes, { name: 'a' })
    expect(seen).toEqual([
      [
        ['authorization', ['Basic YW5uOnDDpHNzd29yZA==']],
        ['impersonate-user', ['system:admin']],
        ['impersonate-uid', ['42']],
        ['impersonate-group', ['one', 'two']],
        ['impersonate-extra-example.com%2fwhy', ['on call']],
      ],
    ])
  })
})

describe('a plugin that fails after a success', () => {
  it('keeps open streams, is logged once, and fails new requests', async () => {
    const clock = new VirtualClock(Date.parse('2026-01-01T00:00:00Z'))
    const errors: string[] = []
    const status = { token: 'token-1', expirationTimestamp: '2026-01-01T00:01:00Z' }
    const output = JSON.stringify({
      kind: 'ExecCredential',
      apiVersion: 'client.authentication.k8s.io/v1',
      status,
    })
    let works = true
    const connection = connectTo({
      target: {
        origin: 'the test',
        server: 'https://nowhere',
        exec: {
          apiVersion: 'client.authentication.k8s.io/v1',
          command: 'login',
          args: [],
          env: {},
          provideClusterInfo: false,
        },
      },
      files: realFiles,
      run: () => Promise.resolve(works ? { type: 'succeeded', output } : { type: 'timed-out' }),
      clock,
      logger: { ...silentLogger, error: (message) => void errors.push(message) },
    })
    await connection.access()
    const seen: Access[] = []
    connection.follow((access) => seen.push(access))
    works = false
    await clock.advance(120_000)
    expect([seen, errors]).toEqual([[], ['cannot renew credentials']])
    await expect(connection.access()).rejects.toThrow(
      'the test: the credential plugin login did not finish in time',
    )
    works = true
    await clock.advance(10_000)
    works = false
    await clock.advance(10_000)
    expect(errors).toEqual(['cannot renew credentials', 'cannot renew credentials'])
  })
})
