import { once } from 'node:events'
import type { AddressInfo, Server, Socket } from 'node:net'
import { connect, createServer } from 'node:net'

/** A TCP proxy to a real server that a test can cut: a network partition between client and server. */
export class CuttableProxy {
  readonly #target: URL
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #isCut = false

  private constructor(target: URL) {
    this.#target = target
    this.#server = createServer((client) => this.#join(client))
  }

  static async to(server: string): Promise<CuttableProxy> {
    const proxy = new CuttableProxy(new URL(server))
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  /** The URL of the target with the port of the proxy. */
  get url(): string {
    return `${this.#target.protocol}//127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Resets all open and new connections, until `restore`. */
  cut(): void {
    this.#isCut = true
    this.dropConnections()
  }

  restore(): void {
    this.#isCut = false
  }

  dropConnections(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy()
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.dropConnections()
    await closed
  }

  #join(client: Socket): void {
    if (this.#isCut) return void client.resetAndDestroy()
    const upstream = connect(Number(this.#target.port), this.#target.hostname)
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.#sockets.add(one)
      one.on('error', () => {})
      one.on('close', () => {
        this.#sockets.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  }
}
