import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import type { SecureContextOptions, Server } from 'node:tls'
import { connect, createSecureContext, createServer } from 'node:tls'
import { messageOf } from '../../src/base/errors.ts'
import type { Cancel, Clock } from '../../src/base/clock.ts'
import type { KeyPair } from '../../src/pki/issue.ts'
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
 * Where a kubelet lets in who shows a certificate that it trusts: a real TLS server, with the very file that the daemon writes.
 * Like a kubelet it goes on with what it has while there is nothing good in the file.
 */
export class KubeletDoor implements AsyncDisposable {
  readonly name: string
  /** How often it took over another file. */
  loads = 0
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
    this.#server = createServer({
      ...this.#context(),
      requestCert: true,
      rejectUnauthorized: true,
    })
    // Only who was let in hears anything.
    this.#server.on('secureConnection', (socket) => {
      socket.on('error', () => {})
      socket.end('come in')
    })
    this.#cancel = this.#again()
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#cancel()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #context(): SecureContextOptions {
    const { served } = this.#options
    return { cert: served.certificate, key: served.key, ca: this.#loaded }
  }

  #again(): Cancel {
    const { clock, everyMs, path } = this.#options
    return clock.after(everyMs, () => {
      const text = readFileSync(path, 'utf8')
      if (text !== this.#loaded && text !== '') {
        this.#loaded = text
        this.loads++
        this.#server.setSecureContext(this.#context())
      }
      this.#cancel = this.#again()
    })
  }
}

/** Somebody comes to the door and is let in, or not: then it is told why. */
export async function knock(
  door: KubeletDoor,
  { certificate, key }: Shown,
  ca: string,
): Promise<string | undefined> {
  const secureContext = createSecureContext({ cert: certificate, key, ca })
  const socket = connect({
    port: door.port,
    host: '127.0.0.1',
    servername: 'localhost',
    secureContext,
  })
  try {
    return await new Promise((resolve) => {
      // With TLS 1.3 a caller has done its part before anybody has looked at its certificate.
      socket.once('data', () => resolve(undefined))
      socket.once('error', (error) => resolve(messageOf(error)))
      socket.once('close', () => resolve('the door was shut'))
    })
  } finally {
    socket.destroy()
  }
}
