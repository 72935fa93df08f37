import type { ClientRequest, IncomingMessage } from 'node:http'
import { request } from 'node:http'
import { request as requestTls } from 'node:https'
import { afterEach, describe, expect, it } from 'vitest'
import type { KubeObject } from '@machinist/core/objects/resource'
import { seededRandom } from '@machinist/core/random'
import { createAuthority } from '../../certificates/tls.ts'
import { until } from '../../until.ts'
import type { RequestFault, StreamFault } from './faults.ts'
import { ChaoticFaults } from './faults.ts'
import { FaultyServer } from './faulty-server.ts'

/** A plain HTTP client. */
class RawAnswer {
  code = 0
  body = ''
  bytes = 0
  /** `open`, `ended`, or the code of an error. */
  outcome = 'open'
  headers: IncomingMessage['headers'] = {}

  constructor(asked: ClientRequest) {
    asked.on('error', (error: NodeJS.ErrnoException) => (this.outcome = error.code ?? 'error'))
    asked.on('response', (answer) => {
      this.code = answer.statusCode ?? 0
      this.headers = answer.headers
      answer.on('data', (chunk: Buffer) => {
        this.bytes += chunk.length
        this.body += chunk.toString('latin1')
      })
      answer.on('end', () => (this.outcome = 'ended'))
      answer.on('error', (error: NodeJS.ErrnoException) => (this.outcome = error.code ?? 'error'))
    })
    asked.end()
  }

  get json(): { [key: string]: never } & { metadata: Record<string, string>; items: KubeObject[] } {
    return JSON.parse(this.body)
  }
}

describe('the faulty server', () => {
  const stops: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop()
  })

  const started = async (objects = 0): Promise<FaultyServer> => {
    const server = await FaultyServer.start()
    stops.push(() => server.stop())
    for (let i = 0; i < objects; i++) server.store.put({ metadata: { name: `n${i}` } })
    return server
  }

  const ask = (server: FaultyServer, rest = ''): RawAnswer =>
    new RawAnswer(request(`${server.url}/api/v1/nodes${rest}`, { agent: false }))

  const answered = async (server: FaultyServer, rest = ''): Promise<RawAnswer> => {
    const answer = ask(server, rest)
    await until('the answer has ended', () => answer.outcome !== 'open')
    return answer
  }

  const watching = async (server: FaultyServer): Promise<RawAnswer> => {
    const answer = ask(server, `?watch=true&resourceVersion=${server.store.revision}`)
    await until('the watch is open', () => server.openWatches === 1 && answer.code === 200)
    return answer
  }

  it('lists, pages and gets', async () => {
    const server = await started(5)
    expect((await answered(server)).json.items).toHaveLength(5)
    const first = (await answered(server, '?limit=3')).json
    expect(first.metadata).toMatchObject({ resourceVersion: '105', remainingItemCount: 2 })
    server.store.put({ metadata: { name: 'later' } })
    const second = (await answered(server, `?limit=3&continue=${first.metadata['continue']}`)).json
    expect(second.items.map((item) => item.metadata.name)).toEqual(['n3', 'n4'])
    expect(second.metadata).toEqual({ resourceVersion: '105' })
    expect((await answered(server, '/n2')).json.metadata).toMatchObject({ resourceVersion: '103' })
    expect((await answered(server, '/nobody')).code).toBe(404)
  })

  it('returns 410 for a page of a compacted list, and an ERROR event for a watch', async () => {
    const server = await started(5)
    const first = (await answered(server, '?limit=3')).json
    server.store.put({ metadata: { name: 'later' } })
    server.store.compact()
    const page = await answered(server, `?limit=3&continue=${first.metadata['continue']}`)
    expect(page.code).toBe(410)
    const watch = await answered(server, '?watch=true&resourceVersion=105')
    expect([watch.code, watch.outcome]).toEqual([200, 'ended'])
    expect(JSON.parse(watch.body)).toMatchObject({ type: 'ERROR', object: { code: 410 } })
  })

  it('sends the history and then changes', async () => {
    const server = await started(2)
    const watch = ask(server, '?watch=true&resourceVersion=101')
    await until('the second node was replayed', () => watch.body.includes('"n1"'))
    server.store.delete('n0')
    server.bookmark()
    await until('the bookmark came', () => watch.body.includes('BOOKMARK'))
    const events = watch.body
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(events).toEqual([
      {
        type: 'ADDED',
        object: { metadata: { name: 'n1', uid: 'uid-of-n1', resourceVersion: '102' } },
      },
      {
        type: 'DELETED',
        object: { metadata: { name: 'n0', uid: 'uid-of-n0', resourceVersion: '103' } },
      },
      { type: 'BOOKMARK', object: { metadata: { resourceVersion: '103' } } },
    ])
  })

  it.each<[RequestFault, Partial<RawAnswer>]>([
    [
      { kind: 'status', code: 503 },
      { code: 503, outcome: 'ended' },
    ],
    [{ kind: 'reset' }, { code: 0, outcome: 'ECONNRESET' }],
    [{ kind: 'half-body' }, { code: 200, outcome: 'ECONNRESET', body: '{"kind":"List","items":[' }],
    [{ kind: 'html' }, { code: 200, outcome: 'ended' }],
  ])('injects %o into one request', async (fault, seen) => {
    const server = await started(1)
    server.plan.onRequest('list', fault)
    expect(await answered(server)).toMatchObject(seen)
    expect((await answered(server)).json.items).toHaveLength(1)
    expect(server.plan.played).toBe(true)
  })

  it('sends Retry-After', async () => {
    const server = await started()
    server.plan.onRequest('list', { kind: 'status', code: 429, retryAfterSeconds: 7 })
    const answer = await answered(server)
    expect(answer.headers['retry-after']).toBe('7')
    expect(answer.json).toMatchObject({ code: 429, details: { retryAfterSeconds: 7 } })
  })

  it('keeps the connection open without a response, and responds late', async () => {
    const server = await started(1)
    const gate = Promise.withResolvers<void>()
    server.plan
      .onRequest('list', { kind: 'silence' })
      .onRequest('list', { kind: 'hold', until: gate.promise })
    const silent = ask(server)
    const late = ask(server)
    await until('both have asked', () => server.requests.length === 2)
    gate.resolve()
    await until('the late one is answered', () => late.outcome === 'ended')
    expect(silent).toMatchObject({ code: 0, outcome: 'open' })
    expect(server.openSockets).toBeGreaterThan(0)
  })

  const line =
    '{"type":"ADDED","object":{"metadata":{"name":"new","uid":"uid-of-new","resourceVersion":"101"}}}\n'

  it.each<[StreamFault, string, string]>([
    [{ kind: 'reset' }, 'ECONNRESET', ''],
    [{ kind: 'reset-in-line' }, 'ECONNRESET', line.slice(0, line.length / 2)],
    [{ kind: 'end' }, 'ended', ''],
    [{ kind: 'end-in-line' }, 'ended', line.slice(0, line.length / 2)],
  ])('injects %o into a watch', async (fault, outcome, body) => {
    const server = await started()
    const watch = await watching(server)
    server.plan.onLine(fault)
    server.store.put({ metadata: { name: 'new' } })
    await until('the watch has ended', () => watch.outcome !== 'open')
    expect([watch.outcome, watch.body]).toEqual([outcome, body])
    await until('the server has noticed', () => server.openWatches === 0)
  })

  it.each<[StreamFault, string]>([
    [{ kind: 'garbage', text: 'oops' }, 'oops\n'],
    [{ kind: 'bad-utf8' }, line.replace('"new"', '"\xffew"')],
    [{ kind: 'trickle' }, line],
    [{ kind: 'twice' }, line + line],
  ])('writes %o and continues', async (fault, written) => {
    const server = await started()
    const watch = await watching(server)
    server.plan.onLine(fault)
    server.store.put({ metadata: { name: 'new' } })
    server.store.put({ metadata: { name: 'next' } })
    await until(
      'the next line came',
      () => watch.body.includes('"next"') && watch.body.endsWith('\n'),
    )
    expect(watch.body.slice(0, written.length)).toBe(written)
    expect(watch.body.slice(written.length)).toContain('"resourceVersion":"102"')
  })

  it('accepts only the current token', async () => {
    const server = await FaultyServer.start({ token: 'one' })
    stops.push(() => server.stop())
    const as = async (token: string): Promise<number> => {
      const headers = { authorization: `Bearer ${token}` }
      const answer = new RawAnswer(request(`${server.url}/api/v1/nodes`, { agent: false, headers }))
      await until('the answer has ended', () => answer.outcome !== 'open')
      return answer.code
    }
    expect(await as('one')).toBe(200)
    server.requireToken('two')
    expect([await as('one'), await as('two')]).toEqual([401, 200])
    expect(server.unauthorized).toBe(1)
  })

  it('serves TLS, rotates its certificate and requires client certificates', async () => {
    const [old, next, clients] = [
      createAuthority('old'),
      createAuthority('next'),
      createAuthority('clients'),
    ]
    const server = await FaultyServer.start({ tls: old.issueServer() })
    stops.push(() => server.stop())
    const trusting = async (tls: { ca: string; cert?: string; key?: string }): Promise<string> => {
      const answer = new RawAnswer(
        requestTls(`${server.url}/api/v1/nodes`, { agent: false, ...tls }),
      )
      await until('the answer has ended', () => answer.outcome !== 'open')
      return answer.outcome
    }
    expect(await trusting({ ca: old.certificate })).toBe('ended')
    server.rotateCertificate(next.issueServer())
    expect(await trusting({ ca: old.certificate })).toBe('UNABLE_TO_VERIFY_LEAF_SIGNATURE')
    expect(await trusting({ ca: next.certificate })).toBe('ended')

    const strict = await FaultyServer.start({ tls: next.issueServer(), clientAuthority: clients })
    stops.push(() => strict.stop())
    const asClient = async (tls: object): Promise<string> => {
      const options = { agent: false, ca: next.certificate, ...tls }
      const answer = new RawAnswer(requestTls(`${strict.url}/api/v1/nodes`, options))
      await until('the answer has ended', () => answer.outcome !== 'open')
      return answer.outcome
    }
    const joe = clients.issueClient('joe')
    expect(await asClient({ cert: joe.certificate, key: joe.key })).toBe('ended')
    expect(await asClient({})).toBe('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED')
  })

  it('generates the same faults from the same seed', () => {
    const draw = (seed: number): unknown[] => {
      const plan = new ChaoticFaults(seededRandom(seed), { requests: 0.5, lines: 0.5 })
      return Array.from({ length: 50 }, (_, i) => (i % 2 === 0 ? plan.request() : plan.line()))
    }
    expect(draw(7)).toEqual(draw(7))
    expect(draw(7)).not.toEqual(draw(8))
    expect(draw(7).filter((fault) => fault === undefined).length).toBeGreaterThan(10)
  })
})
