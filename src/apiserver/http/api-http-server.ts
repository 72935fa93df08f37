import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { ServerOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { ApiParts } from './api-parts.ts'
import { ApiHandler } from './api-handler.ts'

export interface Listening {
  /** 127.0.0.1 unless said otherwise. */
  readonly host?: string
  /** 0: any free one. */
  readonly port?: number
  /** HTTPS with these; plain HTTP without. */
  readonly tls?: ServerOptions
}

/** A slow client may not hold a connection for ever: these are the longest that a request's parts may take. */
const patience = { headersTimeout: 20_000, requestTimeout: 60_000, keepAliveTimeout: 90_000 }

/** The HTTP front of the embedded API server. */
export class ApiHttpServer {
  readonly #parts: ApiParts
  readonly #stopping = new AbortController()
  readonly #busy = new Set<Promise<void>>()
  #server: Server | undefined

  constructor(parts: ApiParts) {
    this.#parts = parts
  }

  /** Resolves with the URL as soon as requests are answered. */
  async listen({ host = '127.0.0.1', port = 0, tls }: Listening = {}): Promise<string> {
    const server = serverFor(tls, (request, response) => this.#accept(request, response))
    this.#server = server
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, host, resolve)
    })
    const address = server.address() as AddressInfo
    return `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${address.port}`
  }

  /** New connections are served with these from now on. */
  present(tls: ServerOptions): void {
    const server = this.#server
    if (server && 'setSecureContext' in server) {
      const secure = server as unknown as { setSecureContext(options: ServerOptions): void }
      secure.setSecureContext(tls)
    }
  }

  /** Ends watches, lets the other requests finish, then closes every connection. */
  async stop(): Promise<void> {
    const server = this.#server
    if (!server) return
    const closed = new Promise((resolve) => server.close(resolve))
    this.#stopping.abort()
    server.closeIdleConnections()
    await Promise.allSettled(this.#busy)
    server.closeAllConnections()
    await closed
  }

  #accept(request: IncomingMessage, response: ServerResponse): void {
    const handler = new ApiHandler(this.#parts, this.#stopping.signal)
    const work = handler.handle(request, response)
    this.#busy.add(work)
    void work.finally(() => this.#busy.delete(work))
  }
}

/** The modules are taken this way because importing them evaluates everything they can do. */
function serverFor(tls: ServerOptions | undefined, listener: RequestListener): Server {
  if (!tls) {
    return process.getBuiltinModule('node:http').createServer(patience, listener)
  }
  return process.getBuiltinModule('node:https').createServer({ ...patience, ...tls }, listener)
}
