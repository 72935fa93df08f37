import { generateKeyPairSync } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { request } from 'node:http'
import { systemClock } from '@machinist/core/clock'
import { createLogger } from '@machinist/core/log'
import { seededRandom } from '@machinist/core/random'
import { StaticTokens } from '../../src/authentication/static-tokens.ts'
import type { Listening } from '../../src/http/api-http-server.ts'
import { ApiServer } from '../../src/http/api-server.ts'
import { MemoryStore } from '../../src/store/memory-store.ts'

/** A secret that must never appear in a response or in the log. */
export const adminToken = 'administrators-secret-token'

export interface Sent {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: string | Uint8Array
  /** Sends the body in chunks, without Content-Length. */
  readonly chunked?: boolean
  readonly token?: string | undefined
}

export interface Heard {
  readonly code: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** A server on plain HTTP with a readable log. */
export class HostileServer implements AsyncDisposable {
  readonly url: string
  readonly log: readonly string[]
  readonly store: MemoryStore
  readonly #server: ApiServer

  private constructor(server: ApiServer, store: MemoryStore, log: readonly string[]) {
    this.url = server.url
    this.log = log
    this.store = store
    this.#server = server
  }

  static async start(listening: Listening = {}): Promise<HostileServer> {
    const lines: string[] = []
    const log = createLogger({ clock: systemClock, write: (line) => lines.push(line) })
    const staticTokens = new StaticTokens()
    staticTokens.add(adminToken, { username: 'admin', groups: ['system:masters'] })
    const store = new MemoryStore({ clock: systemClock, log })
    const server = await ApiServer.start({
      store,
      clock: systemClock,
      random: seededRandom(1),
      log,
      staticTokens,
      signingKey: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
      ...listening,
    })
    return new HostileServer(server, store, lines)
  }

  /** Sends a request without normalizing its path. */
  send({ method = 'GET', path, headers, body, chunked, token = adminToken }: Sent): Promise<Heard> {
    const { hostname, port } = new URL(this.url)
    const sent = { authorization: `Bearer ${token}`, ...framing(body, chunked), ...headers }
    return new Promise((resolve, reject) => {
      const requested = request(
        { hostname, port, path, method, headers: sent, agent: false },
        (answer) => {
          const chunks: Buffer[] = []
          answer.on('data', (chunk: Buffer) => chunks.push(chunk))
          answer.on('error', reject)
          answer.on('end', () => {
            const text = Buffer.concat(chunks).toString('utf8')
            resolve({ code: answer.statusCode ?? 0, headers: answer.headers, text })
            // Stop sending the rest of the body.
            requested.destroy()
          })
        },
      )
      requested.on('error', reject)
      requested.end(body)
    })
  }

  /** Throws if the server does not answer or has logged errors. */
  async stop(): Promise<void> {
    const text = this.url.startsWith('https:') ? 'ok' : await this.#readiness()
    await this.#server.stop()
    await this.store.close()
    if (text !== 'ok' || this.log.length > 0) {
      throw new Error(`readyz said ${text}, the log:\n${this.log.join('')}`)
    }
  }

  async #readiness(): Promise<string> {
    return (await this.send({ path: '/readyz' })).text
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }
}

/** Set explicitly, since Node sets neither header for a DELETE. */
function framing(body: Sent['body'], chunked: boolean | undefined): Record<string, string> {
  if (body === undefined) return {}
  return chunked
    ? { 'transfer-encoding': 'chunked' }
    : { 'content-length': String(Buffer.byteLength(body)) }
}

/**
 * Why a response to an invalid request is wrong; undefined if it is not. `allowed`: a 500 that kube-apiserver sends
 * too.
 */
export function complaint({ code, headers, text }: Heard, allowed?: RegExp): string | undefined {
  if (text.includes(adminToken)) return 'the answer has a secret in it'
  if (/\bat .+\.ts:\d+/.test(text) || text.includes('node:internal')) return `a stack: ${text}`
  if (code >= 500 && !allowed?.test(text)) return `${code} ${text}`
  if (code < 400 || text === '') return undefined
  const type = headers['content-type']
  if (type === 'text/plain; charset=utf-8') return undefined
  if (type !== 'application/json') return `${code} ${String(type)} ${text}`
  const status = JSON.parse(text) as { kind?: string; code?: number; message?: string }
  const isStatus = status.kind === 'Status' && status.code === code && status.message !== ''
  return isStatus ? undefined : `no Status: ${text}`
}

/** Client errors that kube-apiserver reports as internal errors. */
export const realMistakes = new RegExp(
  [
    'resourceVersion: Invalid value',
    'without impersonating a user',
    'unknown patch type',
    'declared merge key',
    "doesn't match \\$setElementOrder",
    'expected a \\[\\]interface',
    // DeleteOptions.
    `"message":"(couldn't get version/kind|no kind |json: cannot unmarshal)`,
  ].join('|'),
)
