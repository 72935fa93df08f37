import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { Server } from 'node:https'
import { Agent, createServer, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { messageOf } from '@machinist/core/errors'
import type { Cancel, Clock } from '@machinist/core/clock'
import { readBundle } from '@machinist/pki/bundle'
import type { KeyPair } from '@machinist/pki/issue'
import type { Shown } from './caller.ts'

export interface KubeletServerOptions {
  readonly name: string
  /** The file with the CAs of accepted clients. */
  readonly path: string
  readonly clock: Clock
  /** Interval at which the file is read; kubelets read it at least once a minute. */
  readonly everyMs: number
  /** The serving certificate. */
  readonly served: KeyPair
}

/**
 * The server of a kubelet: a real HTTPS server with the file that the daemon writes. Like a kubelet it requests a client
 * certificate without verifying it in the handshake, and verifies it at every request against its current CAs. It keeps its CAs
 * while the file is empty.
 */
export class KubeletServer implements AsyncDisposable {
  readonly name: string
  /** Number of loads of a changed file. */
  loads = 0
  /** Number of connections. */
  connections = 0
  readonly #options: KubeletServerOptions
  readonly #server: Server
  #loaded: string
  #cancel: Cancel

  static async open(options: KubeletServerOptions): Promise<KubeletServer> {
    const server = new KubeletServer(options)
    await once(server.#server.listen(0, '127.0.0.1'), 'listening')
    return server
  }

  private constructor(options: KubeletServerOptions) {
    this.name = options.name
    this.#options = options
    this.#loaded = readFileSync(options.path, 'utf8')
    const { certificate: cert, key } = options.served
    const asks = { requestCert: true, rejectUnauthorized: false, keepAliveTimeout: 0 }
    this.#server = createServer({ cert, key, ...asks }, ({ socket }, response) => {
      response.statusCode = this.#isTrusted(socket as TLSSocket) ? 200 : 401
      response.end()
    })
    this.#server.on('secureConnection', () => this.connections++)
    this.#cancel = this.#again()
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#cancel()
    this.#server.close()
    this.#server.closeAllConnections()
    await once(this.#server, 'close')
  }

  #isTrusted(socket: TLSSocket): boolean {
    const shown = socket.getPeerX509Certificate()
    if (!shown) return false
    const leaf = new X509Certificate(shown.raw)
    return [...readBundle(this.#loaded).bundle.values()].some(
      ({ x509 }) => leaf.checkIssued(x509) && leaf.verify(x509.publicKey),
    )
  }

  #again(): Cancel {
    const { clock, everyMs, path } = this.#options
    return clock.after(everyMs, () => {
      const text = readFileSync(path, 'utf8')
      if (text !== this.#loaded && text !== '') {
        this.#loaded = text
        this.loads++
      }
      this.#cancel = this.#again()
    })
  }
}

/** A client's connections with one certificate. */
export function connectionsWith(
  { certificate, key }: Shown,
  ca: string,
  keepAlive: boolean,
): Agent {
  return new Agent({
    cert: certificate,
    key,
    ca,
    servername: 'localhost',
    keepAlive,
    // A resumed session uses the certificate of the previous one.
    maxCachedSessions: 0,
    maxSockets: 1,
  })
}

/** Sends one request; returns undefined if it was accepted, otherwise the reason. */
export async function callServer(server: KubeletServer, agent: Agent): Promise<string | undefined> {
  const call = request({ host: '127.0.0.1', port: server.port, path: '/metrics', agent })
  return await new Promise((resolve) => {
    call.once('response', (response) => {
      response.resume()
      const { statusCode } = response
      response.once('end', () => resolve(statusCode === 200 ? undefined : `${statusCode}`))
    })
    call.once('error', (error) => resolve(messageOf(error)))
    call.end()
  })
}

/** Sends one request over a new connection. */
export async function callOnce(
  server: KubeletServer,
  shown: Shown,
  ca: string,
): Promise<string | undefined> {
  const agent = connectionsWith(shown, ca, false)
  try {
    return await callServer(server, agent)
  } finally {
    agent.destroy()
  }
}
