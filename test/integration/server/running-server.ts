import type { IncomingHttpHeaders } from 'node:http'
import { request as requestPlain } from 'node:http'
import type { RequestOptions } from 'node:https'
import { request as requestSecure } from 'node:https'
import type { Socket } from 'node:net'
import { connect } from 'node:net'
import { systemClock } from '@machinist/core/clock'
import type { FileReader } from '@machinist/core/files'
import { createLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { createAuthority } from '@machinist/testing/certificates/tls'
import { openAccess } from '../../../src/server/access/access.ts'
import { serverState, token } from '../../../src/server/answer/state.fixture.ts'
import type { ServerState, StateSource } from '../../../src/server/answer/state.ts'
import { Changes } from '../../../src/server/changes/changes.ts'
import type { HttpLimits } from '../../../src/server/http/limits.ts'
import { httpLimits } from '../../../src/server/http/limits.ts'
import type { ServerOptions } from '../../../src/server/run-server.ts'
import { runServer } from '../../../src/server/run-server.ts'

export const authority = createAuthority('machine config server')

/** A state that a test changes. */
export class TestSource implements StateSource {
  readonly #changes = new Changes()
  #state: ServerState | undefined

  constructor(state: ServerState | undefined) {
    this.#state = state
  }

  current(): ServerState | undefined {
    return this.#state && { asOf: systemClock.now(), ...withoutTime(this.#state) }
  }

  subscribe(changed: () => void): () => void {
    return this.#changes.subscribe(changed)
  }

  async run(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true })
      if (signal.aborted) resolve()
    })
  }

  set(state: ServerState | undefined): void {
    this.#state = state
    this.#changes.notify()
  }
}

/** A time of 0 stands for the current time. */
function withoutTime({
  asOf,
  ...rest
}: ServerState): Omit<ServerState, 'asOf'> & { asOf?: number } {
  return asOf === 0 ? rest : { asOf, ...rest }
}

/** The certificate of the server as files that a test changes. */
class TestFiles implements FileReader {
  readonly contents = new Map<string, string>()

  async read(path: string): Promise<string> {
    const content = this.contents.get(path)
    if (content === undefined) throw new Error(`ENOENT: ${path}`)
    return content
  }
}

export interface TestResponse {
  readonly code: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly bytes: Buffer
}

export interface TestServerOptions extends Partial<Omit<ServerOptions, 'limits'>> {
  readonly state?: ServerState | undefined
  readonly limits?: Partial<HttpLimits>
}

/** A server on loopback addresses, with and without TLS. */
export class TestServer implements AsyncDisposable {
  readonly metrics = new Metrics()
  readonly source: TestSource
  readonly files = new TestFiles()
  logged = ''
  /** Without and with TLS. */
  plain = ''
  secure = ''
  credential: string | undefined = token
  notReady: () => string | undefined = () => undefined
  readonly #stop = new AbortController()
  readonly #clients = new Set<Socket>()
  #ended: Promise<void> = Promise.resolve()

  private constructor(state: ServerState | undefined) {
    this.source = new TestSource(state)
  }

  static async start(options: TestServerOptions = {}): Promise<TestServer> {
    const { state, limits, ...rest } = options
    const server = new TestServer('state' in options ? state : serverState())
    await server.#start({ ...httpLimits, checkMs: 20, ...limits }, rest)
    return server
  }

  async #start(limits: HttpLimits, more: Partial<ServerOptions>): Promise<void> {
    const clock = more.clock ?? systemClock
    const { metrics, source, files } = this
    this.present(authority.issueServer())
    const log = createLogger({ clock, write: (line) => void (this.logged += line) })
    const listening = Promise.withResolvers<readonly string[]>()
    const address = { host: '127.0.0.1', port: 0 }
    const { ended, notReady } = runServer(
      {
        clock,
        log,
        metrics,
        source,
        credential: {
          usable: () => this.credential,
          subscribe: () => () => {},
          run: (signal) => source.run(signal),
        },
        access: openAccess,
        secure: { address, files, certificate: { cert: 'tls.crt', key: 'tls.key' } },
        insecure: address,
        limits,
        listening: listening.resolve,
        ...more,
      },
      this.#stop.signal,
    )
    ended.catch(listening.reject)
    this.#ended = ended
    this.notReady = notReady
    const [secure = '', plain = ''] = await listening.promise
    this.secure = secure
    this.plain = plain
  }

  /** Replaces the files of the certificate. */
  present({ certificate, key }: { certificate: string; key: string }): void {
    this.files.contents.set('tls.crt', certificate)
    this.files.contents.set('tls.key', key)
  }

  get(path: string, options: RequestOptions = {}): Promise<TestResponse> {
    return send(`${this.plain}${path}`, options)
  }

  getSecure(path: string, options: RequestOptions = {}): Promise<TestResponse> {
    return send(`${this.secure}${path}`, { ca: authority.certificate, ...options })
  }

  /** Opens a connection without TLS. */
  open(url = this.plain): Promise<RawClient> {
    const { hostname, port } = new URL(url)
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname)
      const client: RawClient = { socket, received: '', isClosed: false }
      this.#clients.add(socket)
      socket.setEncoding('latin1')
      socket.on('data', (chunk) => (client.received += String(chunk)))
      socket.on('error', reject)
      socket.on('close', () => {
        client.isClosed = true
        this.#clients.delete(socket)
      })
      socket.on('connect', () => resolve(client))
    })
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#ended
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#clients) socket.destroy()
    await this.stop()
  }
}

export interface RawClient {
  readonly socket: Socket
  received: string
  isClosed: boolean
}

function send(url: string, options: RequestOptions): Promise<TestResponse> {
  const request = url.startsWith('https:') ? requestSecure : requestPlain
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { agent: false, ...options }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const bytes = Buffer.concat(chunks)
        const { statusCode: code = 0, headers } = response
        resolve({ code, headers, bytes, text: bytes.toString() })
      })
    })
    outgoing.on('error', reject)
    outgoing.end()
  })
}
