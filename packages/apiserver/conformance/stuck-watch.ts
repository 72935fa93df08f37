import { readFileSync } from 'node:fs'
import { connect } from 'node:tls'
import { until } from '@machinist/testing/until'
import type { Target } from '@machinist/testing/target'

const end = '\r\n0\r\n\r\n'

export interface StuckWatch {
  /** Reads on, to the end of the answer or of the connection: everything, as it was on the wire. */
  rest(): Promise<string>
}

/** A watch whose client has read how the answer begins, and then reads no further. */
export async function stuckWatch(target: Target, path: string): Promise<StuckWatch> {
  const { hostname, port } = new URL(target.server)
  const socket = connect({ host: hostname, port: Number(port), ca: readFileSync(target.caFile) })
  let text = ''
  socket.setEncoding('utf8').on('data', (part: string) => (text += part))
  socket.on('error', () => {})
  const headers = [`Host: ${hostname}`, `Authorization: Bearer ${target.token}`]
  socket.write([`GET ${path} HTTP/1.1`, ...headers, '', ''].join('\r\n'))
  await until('the watch has begun', () => text.includes('\r\n\r\n'))
  socket.pause()
  return {
    async rest() {
      socket.resume()
      await until('the end is read', () => text.endsWith(end) || socket.closed)
      socket.destroy()
      return text
    },
  }
}
