import type { Server } from 'node:http'
import type { Socket } from 'node:net'

interface Connection {
  readonly socket: Socket
  /** Requests in progress: a client may send the next one before it has read the response. */
  requests: number
}

/**
 * The open connections of all listeners. With too many, the connection that has been idle for the longest time makes room for a new
 * one: clients that hold connections open must not keep machines from their config. If all are busy, the new one is closed.
 */
export class Connections {
  readonly #max: number
  readonly #onEvict: (address: string) => void
  readonly #open = new Map<string, Connection>()
  /** Connections without a request in progress, the longest idle first. */
  readonly #idle = new Set<string>()

  constructor(max: number, onEvict: (address: string) => void) {
    this.#max = max
    this.#onEvict = onEvict
  }

  get size(): number {
    return this.#open.size
  }

  /** Follows the connections of a server. With TLS, they start before the handshake. */
  follow(server: Server): void {
    server.on('connection', (socket: Socket) => {
      const key = keyOf(socket)
      const connection = { socket, requests: 0 }
      this.#open.set(key, connection)
      this.#idle.add(key)
      socket.once('close', () => {
        if (this.#open.get(key) === connection) this.#remove(key)
      })
      if (this.#open.size > this.#max) this.#evict(key)
    })
  }

  /** Marks the connection of a request as busy until the returned function is called. */
  begin(socket: Socket): () => void {
    const key = keyOf(socket)
    const connection = this.#open.get(key)
    if (!connection) return () => {}
    connection.requests++
    this.#idle.delete(key)
    return () => {
      connection.requests--
      if (connection.requests === 0 && this.#open.get(key) === connection) this.#idle.add(key)
    }
  }

  #evict(newest: string): void {
    const [longestIdle = newest] = this.#idle
    const { socket } = this.#open.get(longestIdle)!
    this.#onEvict(clientAddress(socket))
    this.#remove(longestIdle)
    socket.destroy()
  }

  #remove(key: string): void {
    this.#open.delete(key)
    this.#idle.delete(key)
  }
}

/** Not the socket itself: with TLS, that of a request wraps the one of the connection. */
const keyOf = ({ remoteAddress, remotePort, localPort }: Socket): string =>
  `${remoteAddress} ${remotePort} ${localPort}`

/** The IP address of a client; empty if it is gone. An IPv4 client of an IPv6 listener has its IPv4 address. */
export function clientAddress({ remoteAddress = '' }: Pick<Socket, 'remoteAddress'>): string {
  return remoteAddress.startsWith('::ffff:') && remoteAddress.includes('.')
    ? remoteAddress.slice('::ffff:'.length)
    : remoteAddress
}
