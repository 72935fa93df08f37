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

export interface DoorOptions {
  readonly name: string
  /** The file with the CAs of those who may come in. */
  readonly path: string
  readonly clock: Clock
  /** How often the file is looked at; kubelets do it once a minute if nobody tells them. */
  readonly everyMs: number
  /** What it shows of itself. */
  readonly served: KeyPair
}

/**
 * The port of a kubelet: a real HTTPS server, with the very file that the daemon writes. Like a kubelet it asks for a client
 * certificate without looking at it in the handshake, and verifies it at every request against the CAs that it has then; and it
 * goes on with what it has while there is nothing good in the file.
 */
export class KubeletDoor implements AsyncDisposable {
  readonly name: string
  /** How often it took over another file. */
  loads = 0
  /** How many connections were made. */
  connections = 0
  readonly #options: DoorOptions
  readonly #server: Server
  #loaded: string
  #cancel: Cancel

  static async open(options: DoorOptions): Promise<KubeletDoor> {
    const door = new KubeletDoor(options)
    await once(door.#server.listen(0, '127.0.0.1'), 'listening')
    return door
  }

  private constructor(options: DoorOptions) {
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
    // A session that is resumed brings the certificate of the one before.
    maxCachedSessions: 0,
    maxSockets: 1,
  })
}

/** One request over these connections; undefined if it was let in, else why not. */
export async function callDoor(door: KubeletDoor, agent: Agent): Promise<string | undefined> {
  const asked = request({ host: '127.0.0.1', port: door.port, path: '/metrics', agent })
  return await new Promise((resolve) => {
    asked.once('response', (response) => {
      response.resume()
      const { statusCode } = response
      response.once('end', () => resolve(statusCode === 200 ? undefined : `${statusCode}`))
    })
    asked.once('error', (error) => resolve(messageOf(error)))
    asked.end()
  })
}

/** The same over a connection of its own. */
export async function knock(
  door: KubeletDoor,
  shown: Shown,
  ca: string,
): Promise<string | undefined> {
  const agent = connectionsWith(shown, ca, false)
  try {
    return await callDoor(door, agent)
  } finally {
    agent.destroy()
  }
}
