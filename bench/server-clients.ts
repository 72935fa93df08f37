import type { Socket } from 'node:net'
import { connect } from 'node:net'
import { connect as connectTls } from 'node:tls'

/**
 * Clients of the machine config server, in a process of their own. They read the bytes of a response and nothing else, so that the
 * processor is left to the server. Arguments: URL, number of connections, number of requests per connection.
 */
const [url = '', connections = '1', requests = '1'] = process.argv.slice(2)
const { protocol, hostname, port, pathname } = new URL(url)
const request = `GET ${pathname} HTTP/1.1\r\nHost: x\r\nAccept: application/vnd.coreos.ignition+json;version=3.5.0, */*;q=0.1\r\n\r\n`
const waitsMs: number[] = []
let failures = 0

function dial(): Socket {
  const address = { host: hostname, port: Number(port) }
  return protocol === 'https:'
    ? connectTls({ ...address, rejectUnauthorized: false })
    : connect(address)
}

function client(): Promise<void> {
  return new Promise((resolve) => {
    const socket = dial()
    let left = Number(requests)
    let began = performance.now()
    let missing = -1
    const send = (): void => {
      missing = -1
      socket.write(request)
    }
    socket.on('data', (chunk: Buffer) => {
      missing = missing < 0 ? bodyLength(chunk) : missing - chunk.length
      if (missing > 0) return
      waitsMs.push(performance.now() - began)
      if (--left === 0) socket.destroy()
      else {
        began = performance.now()
        send()
      }
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      if (left > 0) failures++
      resolve()
    })
    send()
  })
}

/** The bytes that are missing after the first chunk, which contains all headers. */
function bodyLength(chunk: Buffer): number {
  const end = chunk.indexOf('\r\n\r\n')
  const head = chunk.subarray(0, end).toString('latin1')
  const length = Number(/\r\nContent-Length: (\d+)/.exec(head)?.[1] ?? Number.NaN)
  return length - (chunk.length - end - 4)
}

const began = performance.now()
await Promise.all(Array.from({ length: Number(connections) }, client))
const seconds = (performance.now() - began) / 1000
waitsMs.sort((a, b) => a - b)
const at = (share: number): number => waitsMs[Math.floor((waitsMs.length - 1) * share)] ?? 0
console.log(
  JSON.stringify({ seconds, served: waitsMs.length, failures, p50: at(0.5), p99: at(0.99) }),
)
