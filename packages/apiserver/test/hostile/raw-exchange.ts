import { connect } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import { connect as connectTls } from 'node:tls'

/** Sends bytes that need not be HTTP, and resolves with all that comes back once the server has closed. */
export function exchange(
  url: string,
  bytes: string | Uint8Array,
  tls?: ConnectionOptions,
): Promise<string> {
  const { hostname, port } = new URL(url)
  const address = { host: hostname, port: Number(port) }
  return new Promise((resolve) => {
    const socket = tls ? connectTls({ ...address, ...tls }) : connect(address)
    let heard = ''
    socket.setEncoding('latin1')
    socket.on('data', (chunk) => (heard += String(chunk)))
    // A connection that is reset is closed too.
    socket.on('error', () => {})
    socket.on('close', () => resolve(heard))
    socket.write(bytes)
  })
}
