import { generateKeyPairSync } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { request } from 'node:http'
import { systemClock } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import { seededRandom } from '@machinist/core/random'
import { KubeClient } from '@machinist/kube/client/client'
import { fixedConnection } from '@machinist/kube/connection/connection'
import { HttpTransport } from '@machinist/kube/transport/http-transport'
import { StaticTokens } from './authentication/static-tokens.ts'
import { ApiServer } from './http/api-server.ts'
import type { AuditSink } from './http/messages/audit.ts'
import { MemoryStore } from './store/memory-store.ts'

export interface RawResponse {
  readonly code: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The body as JSON. */
  readonly body: Record<string, never>
}

export interface RawRequest {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly token?: string | undefined
}

/** An API server on a loopback address, with an administrator and a client. */
export interface RunningServer extends AsyncDisposable {
  readonly url: string
  readonly client: KubeClient
  readonly store: MemoryStore
  /** Sends a request without normalizing its path. */
  ask(method: string, path: string, options?: RawRequest): Promise<RawResponse>
}

const admin = 'administrators-token'

export async function startServer(audit?: AuditSink): Promise<RunningServer> {
  const clock = systemClock
  const staticTokens = new StaticTokens()
  staticTokens.add(admin, { username: 'admin', groups: ['system:masters'] })
  staticTokens.add('nobodys-token', { username: 'nobody', groups: [] })
  const store = new MemoryStore({ clock, log: silentLogger })
  const server = await ApiServer.start({
    store,
    clock,
    random: seededRandom(1),
    log: silentLogger,
    staticTokens,
    signingKey: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
    ...(audit && { audit }),
  })
  const headers = { authorization: `Bearer ${admin}` }
  const connection = fixedConnection({ server: server.url, tls: {}, headers })
  const client = new KubeClient({ transport: new HttpTransport({ connection, clock }), clock })
  return {
    url: server.url,
    client,
    store,
    ask: (method, path, options = {}) => send(server.url, method, path, options),
    async [Symbol.asyncDispose]() {
      await server.stop()
      await store.close()
    },
  }
}

function send(
  url: string,
  method: string,
  path: string,
  options: RawRequest,
): Promise<RawResponse> {
  const { hostname, port } = new URL(url)
  const token = 'token' in options ? options.token : admin
  const content = typeof options.body === 'string' ? options.body : JSON.stringify(options.body)
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      ...(content === undefined ? {} : { 'content-length': `${Buffer.byteLength(content)}` }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...options.headers,
    }
    const sent = request({ hostname, port, path, method, headers, agent: false }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('error', reject)
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        resolve({
          code: answer.statusCode ?? 0,
          headers: answer.headers,
          text,
          get body() {
            return JSON.parse(text) as Record<string, never>
          },
        })
      })
    })
    sent.on('error', reject)
    sent.end(content)
  })
}

export const mergePatch = { 'content-type': 'application/merge-patch+json' }
