import type { Agent, ClientRequest, RequestOptions } from 'node:http'
import { withoutTrailing } from '@machinist/core/trimmed'
import type { Access } from './connection/connection.ts'

/**
 * The connections made on one access. When the access changes, a new lane is opened and the old one retired, so no
 * request and no resumed TLS session ever runs on material that is out of date.
 */
export class Lane {
  readonly access: Access
  readonly host: string
  readonly #prefix: string
  readonly #agent: Agent
  readonly #send: (options: RequestOptions) => ClientRequest
  readonly #place: RequestOptions

  constructor(access: Access) {
    const url = new URL(access.server)
    this.access = access
    this.host = url.host
    this.#prefix = withoutTrailing(url.pathname, '/')
    this.#place = {
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

  /** `path` comes with its query. */
  send(method: string, path: string, headers: Record<string, string>): ClientRequest {
    return this.#send({
      ...this.#place,
      method,
      path: this.#prefix + path,
      headers: { ...headers, ...mutable(this.access.headers) },
      agent: this.#agent,
    })
  }

  /** Drops idle connections; busy ones finish their answer and are dropped then. */
  retire(): void {
    this.#agent.maxFreeSockets = 0
    for (const sockets of Object.values(this.#agent.freeSockets)) {
      for (const socket of sockets ?? []) socket.destroy()
    }
  }
}

/**
 * TCP keep-alive after 15 s finds dead peers that a half-open connection would hide. An idle connection is dropped
 * after 50 s because an API server drops it after 90 s, and a request sent at that very moment would be lost.
 */
const keeping = { keepAlive: true, keepAliveMsecs: 15_000, maxFreeSockets: 4, timeout: 50_000 }

function plainAgent(): Agent {
  const { Agent } = process.getBuiltinModule('node:http')
  return new Agent(keeping)
}

function tlsAgent({ tls }: Access): Agent {
  const { Agent } = process.getBuiltinModule('node:https')
  const { createSecureContext } = process.getBuiltinModule('node:tls')
  return new Agent({
    ...keeping,
    // One context for all connections: parsed once, held once.
    secureContext: createSecureContext({ ca: tls.ca, cert: tls.cert, key: tls.key }),
    rejectUnauthorized: tls.insecure !== true,
    ...(tls.serverName === undefined ? {} : { servername: tls.serverName }),
  })
}

const mutable = (headers: Access['headers']): Record<string, string | string[]> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : [...value],
    ]),
  )
