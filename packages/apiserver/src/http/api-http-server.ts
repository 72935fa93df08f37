import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { ServerOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Server as TlsServer } from 'node:tls'
import type { ApiParts } from './api-parts.ts'
import { ApiHandler } from './api-handler.ts'

export interface Listening {
  /** 127.0.0.1 unless said otherwise. */
  readonly host?: string
  /** 0: any free one. */
  readonly port?: number
  /** HTTPS with these; plain HTTP without. */
  readonly tls?: ServerOptions
  /** For those who cannot wait as long as is usual. */
  readonly patience?: Patience
}

/** What the server shows of itself in a handshake; it may change while it runs. */
export interface ServingIdentity {
  readonly cert: string
  readonly key: string
  /** Whose client certificates are worth sending. */
  readonly ca?: string
}

/** A slow client may not hold a connection for ever: these, in milliseconds, are the longest that things may take. */
export interface Patience {
  readonly handshakeTimeout: number
  /** From the connection, or from the end of the answer before, until the headers are there. */
  readonly headersTimeout: number
  /** Until the body is there too. */
  readonly requestTimeout: number
  readonly keepAliveTimeout: number
  /** How long a client may take nothing of an answer that waits for it. */
  readonly readTimeout: number
  /** How often all this is looked at. */
  readonly connectionsCheckingInterval: number
}

const usualPatience: Patience = {
  handshakeTimeout: 20_000,
  headersTimeout: 20_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 90_000,
  readTimeout: 120_000,
  connectionsCheckingInterval: 10_000,
}

/**
 * Request line and headers together; more is answered with 431. The largest that clients send are tokens (up to 64 kB of
 * Kerberos in base64), hundreds of groups to impersonate, and selectors of hundreds of names. kube-apiserver takes 1 MB.
 */
const maxHeaderSize = 128 * 1024

/**
 * No session is resumed: what is kept of one lacks the certificates between a client's own and its authority, and who was
 * let in with them must be let in again.
 */
const secureOptions = process.getBuiltinModule('node:crypto').constants.SSL_OP_NO_TICKET

/** The HTTP front of the embedded API server. */
export class ApiHttpServer {
  readonly #parts: ApiParts
  readonly #stopping = new AbortController()
  readonly #busy = new Map<Promise<void>, IncomingMessage>()
  #server: Server | undefined
  #tls: ServerOptions | undefined

  constructor(parts: ApiParts) {
    this.#parts = parts
  }

  /** Resolves with the URL as soon as requests are answered. */
  async listen({
    host = '127.0.0.1',
    port = 0,
    tls,
    patience = usualPatience,
  }: Listening = {}): Promise<string> {
    const server = serverFor(tls, patience, (request, response) => {
      dropWhoeverReadsNothing(response, patience)
      this.#accept(request, response)
    })
    this.#server = server
    this.#tls = tls
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, host, resolve)
    })
    // Such as no file descriptor for one more connection: those that are there go on.
    server.on('error', (error) => this.#parts.log.error('connection refused', error))
    const address = server.address() as AddressInfo
    return `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${address.port}`
  }

  /** New connections are served with this from now on; those that are open, and what runs on them, do not notice. */
  present(identity: ServingIdentity): void {
    const server: (Server & Partial<Pick<TlsServer, 'setSecureContext'>>) | undefined = this.#server
    server?.setSecureContext?.({ ...this.#tls, ...identity, secureOptions })
  }

  /** Ends watches, lets the other requests finish, then closes every connection. */
  async stop(): Promise<void> {
    const server = this.#server
    if (!server) return
    const closed = new Promise((resolve) => server.close(resolve))
    this.#stopping.abort()
    server.closeIdleConnections()
    // Nobody times them any more, and they would never end by themselves.
    for (const request of this.#busy.values()) if (!request.complete) request.destroy()
    await Promise.allSettled(this.#busy.keys())
    server.closeAllConnections()
    await closed
  }

  #accept(request: IncomingMessage, response: ServerResponse): void {
    const handler = new ApiHandler(this.#parts, this.#stopping.signal)
    const work = handler.handle(request, response).catch((error: unknown) => {
      // Not even the refusal could be sent. That is this client's trouble, not everybody's.
      this.#parts.log.error('no answer', error, { method: request.method, path: request.url })
      response.destroy()
    })
    this.#busy.set(work, request)
    void work.finally(() => this.#busy.delete(work))
  }
}

/** The modules are taken this way because importing them evaluates everything they can do. */
function serverFor(
  tls: ServerOptions | undefined,
  patience: Patience,
  listener: RequestListener,
): Server {
  const bounds = { ...patience, maxHeaderSize }
  if (!tls) return process.getBuiltinModule('node:http').createServer(bounds, listener)
  const options = { ...bounds, ...tls, secureOptions }
  return process.getBuiltinModule('node:https').createServer(options, listener)
}

/** A quiet watch has nothing to be read, and may be quiet for as long as it likes. */
function dropWhoeverReadsNothing(response: ServerResponse, { readTimeout }: Patience): void {
  response.setTimeout(readTimeout, () => {
    if (response.socket && response.socket.writableLength > 0) response.socket.destroy()
  })
}
