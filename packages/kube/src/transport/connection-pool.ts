import type { Agent, ClientRequest, RequestOptions } from 'node:http'
import { withoutTrailing } from '@machinist/core/trimmed'
import type { Access } from '../connection/connection.ts'

/**
 * The connections for one set of credentials. When the credentials change, a new pool replaces this one, so that no request
 * and no resumed TLS session uses outdated credentials.
 */
export class ConnectionPool {
  readonly access: Access
  readonly host: string
  readonly #prefix: string
  readonly #agent: Agent
  readonly #send: (options: RequestOptions) => ClientRequest
  readonly #address: RequestOptions

  constructor(access: Access) {
    const url = new URL(access.server)
    this.access = access
    this.host = url.host
    this.#prefix = withoutTrailing(url.pathname, '/')
    this.#address = {
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port,
      protocol: url.protocol,
    }
    const plain = url.protocol === 'http:'
    this.#agent = plain ? plainAgent() : tlsAgent(access)
    // Through getBuiltinModule: an ESM import of node:http costs 15 MB of memory on every node.
    this.#send = plain
      ? process.getBuiltinModule('node:http').request
      : process.getBuiltinModule('node:https').request
  }

  /** `path` includes the query. */
  send(method: string, path: string, headers: Record<string, string>): ClientRequest {
    return this.#send({
      ...this.#address,
      method,
      path: this.#prefix + path,
      headers: { ...headers, ...mutableHeaders(this.access.headers) },
      agent: this.#agent,
    })
  }

  /** Closes idle connections. Busy connections are closed after their response. */
  retire(): void {
    this.#agent.maxFreeSockets = 0
    for (const sockets of Object.values(this.#agent.freeSockets)) {
      for (const socket of sockets ?? []) socket.destroy()
    }
  }
}

/**
 * TCP keep-alive after 15 s detects dead peers behind half-open connections. Idle connections are closed after 50 s because
 * API servers close them after 90 s, and a request sent at that moment would be lost.
 */
const keepAliveOptions = {
  keepAlive: true,
  keepAliveMsecs: 15_000,
  maxFreeSockets: 4,
  timeout: 50_000,
}

function plainAgent(): Agent {
  const { Agent } = process.getBuiltinModule('node:http')
  return new Agent(keepAliveOptions)
}

function tlsAgent({ tls }: Access): Agent {
  const { Agent } = process.getBuiltinModule('node:https')
  const { createSecureContext } = process.getBuiltinModule('node:tls')
  return new Agent({
    ...keepAliveOptions,
    // One context for all connections: certificates are parsed and stored once.
    secureContext: createSecureContext({ ca: tls.ca, cert: tls.cert, key: tls.key }),
    rejectUnauthorized: tls.insecure !== true,
    ...(tls.serverName === undefined ? {} : { servername: tls.serverName }),
  })
}

const mutableHeaders = (headers: Access['headers']): Record<string, string | string[]> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : [...value],
    ]),
  )
