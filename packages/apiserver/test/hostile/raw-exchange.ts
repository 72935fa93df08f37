import { connect } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import { connect as connectTls } from 'node:tls'

/** Sends bytes that need not be HTTP; resolves with the response when the server closes the connection. */
export function exchange(
  url: string,
  bytes: string | Uint8Array,
  tls?: ConnectionOptions,
): Promise<string> {
  const { hostname, port } = new URL(url)
  const address = { host: hostname, port: Number(port) }
  return new Promise((resolve) => {
    const socket = tls ? connectTls({ ...address, ...tls }) : connect(address)
    let received = ''
    socket.setEncoding('latin1')
    socket.on('data', (chunk) => (received += String(chunk)))
    // A reset connection is closed too.
    socket.on('error', () => {})
    socket.on('close', () => resolve(received))
    socket.write(bytes)
  })
}
