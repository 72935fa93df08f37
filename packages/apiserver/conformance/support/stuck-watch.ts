import { readFileSync } from 'node:fs'
import { connect } from 'node:tls'
import { until } from '@machinist/testing/until'
import type { ConformanceTarget } from '@machinist/testing/clusters/target'

const end = '\r\n0\r\n\r\n'

export interface StuckWatch {
  /** Reads the raw bytes up to the end of the response or connection. */
  rest(): Promise<string>
}

/** A watch whose client stops reading after the headers. */
export async function stuckWatch(target: ConformanceTarget, path: string): Promise<StuckWatch> {
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
