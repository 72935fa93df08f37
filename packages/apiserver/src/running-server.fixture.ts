import { generateKeyPairSync } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { request } from 'node:http'
import { StaticTokens } from './authentication/static-tokens.ts'
import { ApiServer } from './http/api-server.ts'
import type { AuditSink } from './http/audit.ts'
import { MemoryStore } from './store/memory-store.ts'
import { systemClock } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import { seededRandom } from '@machinist/core/random'
import { KubeClient } from '@machinist/kube/client'
import { fixedConnection } from '@machinist/kube/connection/connection'
import { HttpTransport } from '@machinist/kube/transport-http'

export interface RawAnswer {
  readonly code: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The body as JSON; whoever asks knows what it is. */
  readonly body: Record<string, never>
}

export interface Asked {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly token?: string | undefined
}

/** An API server of one's own on the loopback, with an administrator and a client of ours. */
export interface RunningServer extends AsyncDisposable {
  readonly url: string
  readonly client: KubeClient
  readonly store: MemoryStore
  /** Sends a request as it is: the path goes out as it was written. */
  ask(method: string, path: string, asked?: Asked): Promise<RawAnswer>
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
    ask: (method, path, asked = {}) => send(server.url, method, path, asked),
    async [Symbol.asyncDispose]() {
      await server.stop()
      await store.close()
    },
  }
}

function send(url: string, method: string, path: string, asked: Asked): Promise<RawAnswer> {
  const { hostname, port } = new URL(url)
  const token = 'token' in asked ? asked.token : admin
  const content = typeof asked.body === 'string' ? asked.body : JSON.stringify(asked.body)
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      ...(content === undefined ? {} : { 'content-length': `${Buffer.byteLength(content)}` }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...asked.headers,
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
