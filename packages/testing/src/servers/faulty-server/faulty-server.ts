import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { Server as TlsServer } from 'node:https'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { KubeObject } from '@machinist/core/objects/resource'
import type { KeyPair } from '../../certificates/tls.ts'
import type { FaultPlan, RequestFault, StreamFault, Verb } from './faults.ts'
import { ScriptedFaults } from './faults.ts'
import { Pages } from './pages.ts'
import type { ErrorStatus } from './status.ts'
import { statusOf } from './status.ts'
import { VersionedStore } from './store.ts'
import { WatchStream } from './watch-stream.ts'

export interface FaultyServerOptions<Plan extends FaultPlan> {
  /** The path of the served collection: `/api/v1/nodes`. All other paths return 404. */
  readonly path?: string
  readonly plan?: Plan
  /** The serving certificate; plain HTTP without it. */
  readonly tls?: KeyPair
  /** The CA of required client certificates. */
  readonly clientAuthority?: KeyPair
  /** The required bearer token. */
  readonly token?: string
}

export interface RequestRecord {
  readonly verb: Verb
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingMessage['headers']
}

/** An API server for one resource on a real socket with injected faults. */
export class FaultyServer<
  T extends KubeObject = KubeObject,
  Plan extends FaultPlan = ScriptedFaults,
> {
  readonly store = new VersionedStore<T>()
  readonly plan: Plan
  /** The last authenticated requests, oldest first. */
  readonly requests: RequestRecord[] = []
  /** Number of requests with a wrong token. */
  unauthorized = 0
  readonly #path: string
  readonly #pages = new Pages(this.store)
  readonly #server: Server | TlsServer
  readonly #scheme: 'http' | 'https'
  readonly #sockets = new Map<number, Socket>()
  readonly #watches = new Set<WatchStream>()
  #token: string | undefined

  private constructor(options: FaultyServerOptions<Plan>, plan: Plan) {
    this.plan = plan
    this.#path = options.path ?? '/api/v1/nodes'
    this.#token = options.token
    const handler = (request: IncomingMessage, response: ServerResponse): void =>
      void this.#handle(request, response)
    this.#scheme = options.tls ? 'https' : 'http'
    this.#server = options.tls
      ? createTlsServer(tlsOptions(options.tls, options.clientAuthority), handler)
      : createServer(handler)
    // With TLS this is the underlying TCP socket, the only one that can be reset.
    this.#server.on('connection', (socket: Socket) => this.#track(socket))
  }

  static async start<T extends KubeObject>(
    options?: FaultyServerOptions<ScriptedFaults>,
  ): Promise<FaultyServer<T>>
  static async start<T extends KubeObject, Plan extends FaultPlan>(
    options: FaultyServerOptions<Plan> & { readonly plan: Plan },
  ): Promise<FaultyServer<T, Plan>>
  static async start<T extends KubeObject>(
    options: FaultyServerOptions<FaultPlan> = {},
  ): Promise<FaultyServer<T, FaultPlan>> {
    const server = new FaultyServer<T, FaultPlan>(options, options.plan ?? new ScriptedFaults())
    server.#server.listen(0, '127.0.0.1')
    await once(server.#server, 'listening')
    return server
  }

  get url(): string {
    return `${this.#scheme}://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get openSockets(): number {
    return this.#sockets.size
  }

  get openWatches(): number {
    return this.#watches.size
  }

  /** Applies a fault to all open watches. */
  disturb(fault: StreamFault): void {
    for (const watch of this.#watches) watch.apply(fault)
  }

  /** Sends a bookmark to all open watches. */
  bookmark(): void {
    const metadata = { resourceVersion: String(this.store.revision) }
    for (const watch of this.#watches) {
      watch.send(`${JSON.stringify({ type: 'BOOKMARK', object: { metadata } })}\n`)
    }
  }

  /** Changes the required token. Open watches stay open, as with a real API server. */
  requireToken(token: string): void {
    this.#token = token
  }

  /** Changes the serving certificate of new connections; open ones stay. */
  rotateCertificate(tls: KeyPair, clientAuthority?: KeyPair): void {
    if ('setSecureContext' in this.#server) {
      this.#server.setSecureContext(tlsOptions(tls, clientAuthority))
    }
  }

  /** Resets all connections, as a restart of the server does. */
  dropConnections(): void {
    for (const socket of this.#sockets.values()) socket.resetAndDestroy()
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.dropConnections()
    await closed
  }

  #track(socket: Socket): void {
    const port = socket.remotePort ?? 0
    this.#sockets.set(port, socket)
    socket.on('error', () => {})
    socket.on('close', () => void this.#sockets.delete(port))
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url)
    const verb = this.#verbOf(url)
    if (verb === undefined) return sendError(response, { code: 404, reason: 'NotFound' })
    if (this.#token !== undefined && request.headers.authorization !== `Bearer ${this.#token}`) {
      this.unauthorized++
      return sendError(response, { code: 401, reason: 'Unauthorized', message: 'Unauthorized' })
    }
    this.requests.push({
      verb,
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
    })
    if (this.requests.length > 1000) this.requests.shift()

    const fault = this.plan.request(verb)
    if (fault?.kind === 'hold') await fault.until
    else if (fault) return this.#injectFault(fault, response)
    this.#serve(verb, url, response)
  }

  #verbOf(url: URL): Verb | undefined {
    if (url.pathname !== this.#path) {
      return url.pathname.startsWith(`${this.#path}/`) ? 'get' : undefined
    }
    return url.searchParams.get('watch') === 'true' || url.searchParams.get('watch') === '1'
      ? 'watch'
      : 'list'
  }

  #serve(verb: Verb, url: URL, response: ServerResponse): void {
    if (verb === 'watch') return this.#watch(url, response)
    if (verb === 'get') {
      const found = this.store.get(url.pathname.slice(this.#path.length + 1))
      return found ? reply(response, found) : sendError(response, { code: 404, reason: 'NotFound' })
    }
    const page = this.#pages.list(url.searchParams)
    if (page === 'expired') return sendError(response, { code: 410, reason: 'Expired' })
    reply(response, page)
  }

  #injectFault(fault: Exclude<RequestFault, { kind: 'hold' }>, response: ServerResponse): void {
    switch (fault.kind) {
      case 'status':
        return sendError(response, fault)
      case 'silence':
        return
      case 'reset':
        return this.#reset(response)
      case 'half-body':
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
        response.write('{"kind":"List","items":[', () => this.#reset(response))
        return
      case 'html':
        response.writeHead(200, { 'content-type': 'text/html' })
        return void response.end('<!doctype html><title>Please log in</title>')
      case 'bad-utf8':
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(Buffer.from(brokenList, 'latin1'))
    }
  }

  #watch(url: URL, response: ServerResponse): void {
    const revision = Number(url.searchParams.get('resourceVersion') ?? this.store.revision)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.flushHeaders()
    const watch = new WatchStream(response, this.plan, () => this.#reset(response))
    const changes = this.store.since(revision)
    if (changes === 'expired') return watch.apply({ kind: 'expired' })

    this.#watches.add(watch)
    const unfollow = this.store.follow((change) => watch.send(change.line))
    const seconds = Number(url.searchParams.get('timeoutSeconds') ?? 3600)
    const timer = setTimeout(() => watch.end(), seconds * 1000)
    response.on('close', () => {
      clearTimeout(timer)
      unfollow()
      this.#watches.delete(watch)
    })
    for (const change of changes) watch.send(change.line)
  }

  #reset(response: ServerResponse): void {
    this.#sockets.get(response.req.socket.remotePort ?? 0)?.resetAndDestroy()
  }
}

const brokenList =
  '{"kind":"List","metadata":{"resourceVersion":"101"},"items":[{"metadata":{"name":"\xff"}}]}'

function tlsOptions(tls: KeyPair, clientAuthority?: KeyPair): Record<string, unknown> {
  const clients = clientAuthority && {
    ca: clientAuthority.certificate,
    requestCert: true,
    rejectUnauthorized: true,
  }
  return { cert: tls.certificate, key: tls.key, ...clients }
}

function reply(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

function sendError(response: ServerResponse, error: ErrorStatus): void {
  const { code, retryAfterSeconds } = error
  const retryAfter =
    retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }
  response.writeHead(code, { 'content-type': 'application/json', ...retryAfter })
  response.end(JSON.stringify(statusOf(error)))
}
