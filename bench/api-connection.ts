import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'

export interface ServerAddress {
  readonly server: string
  /** PEM. */
  readonly ca: string
  readonly token: string
}

export interface BenchResponse {
  readonly text: string
  readonly bytes: number
}

/** A minimal client over HTTP/1.1 and TLS without parsing, so that the measurement covers the server only. */
export class ApiConnection {
  readonly #address: ServerAddress
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 32 })

  constructor(address: ServerAddress) {
    this.#address = address
  }

  async get(path: string): Promise<BenchResponse> {
    return readResponse(await this.#open('GET', path, this.#agent))
  }

  async post(path: string, object: unknown): Promise<BenchResponse> {
    return readResponse(await this.#open('POST', path, this.#agent, 'application/json', object))
  }

  async patch(path: string, changes: unknown): Promise<BenchResponse> {
    const type = 'application/merge-patch+json'
    return readResponse(await this.#open('PATCH', path, this.#agent, type, changes))
  }

  /** Opens a watch on a separate connection and calls back with the number of lines of every chunk. */
  async watch(path: string, onLines: (count: number) => void): Promise<() => void> {
    const response = await this.#open('GET', path, false)
    response.on('data', (piece: Buffer) => onLines(linesIn(piece)))
    response.on('error', () => {})
    return () => response.destroy()
  }

  close(): void {
    this.#agent.destroy()
  }

  #open(
    method: string,
    path: string,
    agent: Agent | false,
    type?: string,
    body?: unknown,
  ): Promise<IncomingMessage> {
    const { server, ca, token } = this.#address
    const text = body === undefined ? undefined : JSON.stringify(body)
    const headers = {
      authorization: `Bearer ${token}`,
      accept: 'application/json',
      ...(type !== undefined && { 'content-type': type }),
      ...(text !== undefined && { 'content-length': Buffer.byteLength(text) }),
    }
    return new Promise((resolve, reject) => {
      const outgoing = request(`${server}${path}`, { method, ca, agent, headers }, resolve)
      outgoing.on('error', reject).end(text)
    })
  }
}

async function readResponse(response: IncomingMessage): Promise<BenchResponse> {
  const pieces: Buffer[] = []
  for await (const piece of response) pieces.push(piece as Buffer)
  const bytes = Buffer.concat(pieces)
  const text = bytes.toString('utf8')
  const { statusCode = 0 } = response
  if (statusCode >= 300) throw new Error(`${statusCode}: ${text.slice(0, 300)}`)
  return { text, bytes: bytes.length }
}

function linesIn(piece: Buffer): number {
  let count = 0
  for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, at + 1)) count++
  return count
}
