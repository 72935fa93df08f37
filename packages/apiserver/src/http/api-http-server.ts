import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { ServerOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Server as TlsServer } from 'node:tls'
import type { ApiParts } from './messages/api-parts.ts'
import { ApiHandler } from './api-handler.ts'

export interface Listening {
  /** Default: 127.0.0.1. */
  readonly host?: string
  /** 0 chooses a free port. */
  readonly port?: number
  /** HTTPS with these options; plain HTTP without. */
  readonly tls?: ServerOptions
  /** Timeouts for tests. */
  readonly timeouts?: ConnectionTimeouts
}

/** The certificate that the server presents; it can change while the server runs. */
export interface ServingIdentity {
  readonly cert: string
  readonly key: string
  /** CAs announced to clients in the handshake. */
  readonly ca?: string
}

/** Timeouts in milliseconds, so that slow clients cannot hold connections open. */
export interface ConnectionTimeouts {
  readonly handshakeTimeout: number
  /** From the connection, or the end of the previous response, until the headers are complete. */
  readonly headersTimeout: number
  /** Until the body is complete. */
  readonly requestTimeout: number
  readonly keepAliveTimeout: number
  /** How long a client may read nothing of a pending response. */
  readonly readTimeout: number
  /** How often timeouts are checked. */
  readonly connectionsCheckingInterval: number
}

const defaultTimeouts = {
  handshakeTimeout: 20_000,
  headersTimeout: 20_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 90_000,
  readTimeout: 120_000,
  connectionsCheckingInterval: 10_000,
}

/**
 * Maximum size of request line and headers; larger ones get 431. The largest of real clients are Kerberos tokens (up
 * to 64 kB, in base64), hundreds of impersonated groups, and selectors of hundreds of names. kube-apiserver accepts 1
 * MB.
 */
const maxHeaderSize = 128 * 1024

/**
 * Disables session resumption: a resumed session lacks the client's intermediate certificates, so authentication
 * would fail.
 */
const secureOptions = process.getBuiltinModule('node:crypto').constants.SSL_OP_NO_TICKET

/** The HTTP server of the embedded API. */
export class ApiHttpServer {
  readonly #parts: ApiParts
  readonly #stopping = new AbortController()
  readonly #busy = new Map<Promise<void>, IncomingMessage>()
  #server: Server | undefined
  #tls: ServerOptions | undefined

  constructor(parts: ApiParts) {
    this.#parts = parts
  }

  /** Resolves with the URL once requests are answered. */
  async listen({
    host = '127.0.0.1',
    port = 0,
    tls,
    timeouts = defaultTimeouts,
  }: Listening = {}): Promise<string> {
    const server = serverFor(tls, timeouts, (request, response) => {
      closeIdleReaders(response, timeouts)
      this.#accept(request, response)
    })
    this.#server = server
    this.#tls = tls
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, host, resolve)
    })
    // For example no free file descriptor: existing connections continue.
    server.on('error', (error) => this.#parts.log.error('failed to accept a connection', error))
    const address = server.address() as AddressInfo
    return `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${address.port}`
  }

  /** Presents this certificate to new connections; open ones are not affected. */
  present(identity: ServingIdentity): void {
    const server: (Server & Partial<Pick<TlsServer, 'setSecureContext'>>) | undefined = this.#server
    server?.setSecureContext?.({ ...this.#tls, ...identity, secureOptions })
  }

  /** Ends watches, waits for other requests, then closes every connection. */
  async stop(): Promise<void> {
    const server = this.#server
    if (!server) return
    const closed = new Promise((resolve) => server.close(resolve))
    this.#stopping.abort()
    server.closeIdleConnections()
    // The server no longer checks timeouts, so incomplete requests would never end.
    for (const request of this.#busy.values()) if (!request.complete) request.destroy()
    await Promise.allSettled(this.#busy.keys())
    server.closeAllConnections()
    await closed
  }

  #accept(request: IncomingMessage, response: ServerResponse): void {
    const handler = new ApiHandler(this.#parts, this.#stopping.signal)
    const work = handler.handle(request, response).catch((error: unknown) => {
      // The error response could not be sent; this affects only this client.
      this.#parts.log.error('failed to send a response', error, {
        method: request.method,
        path: request.url,
      })
      response.destroy()
    })
    this.#busy.set(work, request)
    void work.finally(() => this.#busy.delete(work))
  }
}

/** Loads the modules on demand, because importing them evaluates everything they contain. */
function serverFor(
  tls: ServerOptions | undefined,
  timeouts: ConnectionTimeouts,
  listener: RequestListener,
): Server {
  const bounds = { ...timeouts, maxHeaderSize }
  if (!tls) return process.getBuiltinModule('node:http').createServer(bounds, listener)
  const options = { ...bounds, ...tls, secureOptions }
  return process.getBuiltinModule('node:https').createServer(options, listener)
}

/** Closes connections of clients that read nothing. An idle watch has nothing to read and stays open. */
function closeIdleReaders(response: ServerResponse, { readTimeout }: ConnectionTimeouts): void {
  response.setTimeout(readTimeout, () => {
    if (response.socket && response.socket.writableLength > 0) response.socket.destroy()
  })
}
