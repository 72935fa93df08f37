import { readFileSync } from 'node:fs'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import type { ListMeta, ObjectMeta } from '@machinist/core/objects/resource'
import type { ConformanceTarget } from '@machinist/testing/clusters/target'
import { Watching } from './watching.ts'

/** A decoded body, loosely typed. */
export interface Body {
  kind: string
  apiVersion: string
  metadata: ObjectMeta & ListMeta
  items: Body[]
  spec: Record<string, unknown>
  status: Record<string, unknown>
  [field: string]: unknown
}

export interface Answer {
  readonly code: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** Members are undefined if the response is not a JSON object. */
  readonly body: Body
}

type Headers = Readonly<Record<string, string | string[]>>

export interface Call {
  readonly method?: string
  readonly body?: unknown
  readonly headers?: Headers
}

export const patchTypes = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const

/** Plain HTTPS requests without a client library. */
export class Api {
  readonly #target: ConformanceTarget
  readonly #agent: Agent
  readonly #identity: Headers

  constructor(
    target: ConformanceTarget,
    identity: Headers = { authorization: `Bearer ${target.token}` },
  ) {
    this.#target = target
    this.#identity = identity
    this.#agent = new Agent({ ca: readFileSync(target.caFile), keepAlive: true })
  }

  /** The same server with other credentials; anonymous without headers. */
  as(identity: Headers): Api {
    return new Api(this.#target, identity)
  }

  withToken(token: string): Api {
    return this.as({ authorization: `Bearer ${token}` })
  }

  get(path: string, headers?: Headers): Promise<Answer> {
    return this.ask(path, { headers })
  }

  post(path: string, body: unknown, headers?: Headers): Promise<Answer> {
    return this.ask(path, { method: 'POST', body, headers })
  }

  put(path: string, body: unknown): Promise<Answer> {
    return this.ask(path, { method: 'PUT', body })
  }

  patch(path: string, type: keyof typeof patchTypes, body: unknown): Promise<Answer> {
    return this.ask(path, {
      method: 'PATCH',
      body,
      headers: { 'content-type': patchTypes[type] },
    })
  }

  delete(path: string, body?: unknown): Promise<Answer> {
    return this.ask(path, { method: 'DELETE', body })
  }

  async ask(path: string, call: Call): Promise<Answer> {
    const message = await this.#open(path, call)
    const chunks: Buffer[] = []
    for await (const chunk of message) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString('utf8')
    return {
      code: message.statusCode ?? 0,
      headers: message.headers,
      text,
      body: parsed(text),
    }
  }

  /** Starts a watch; `path` includes the query. */
  async watch(path: string, headers?: Headers): Promise<Watching> {
    return new Watching(await this.#open(path, { headers }))
  }

  #open(path: string, { method = 'GET', body, headers }: Call): Promise<IncomingMessage> {
    const sent = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
    // Node would send the body of a DELETE without its length.
    const type = sent === undefined ? {} : bodyHeaders(sent)
    return new Promise((resolve, reject) => {
      const requested = request(
        `${this.#target.server}${path}`,
        { method, agent: this.#agent, headers: { ...this.#identity, ...type, ...headers } },
        resolve,
      )
      requested.setTimeout(timeoutMs, () => requested.destroy(new Error(`no answer to ${path}`)))
      requested.on('error', reject)
      requested.end(sent)
    })
  }
}

const timeoutMs = 45_000

function bodyHeaders(sent: string): Headers {
  return { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(sent)) }
}

function parsed(text: string): Body {
  try {
    return JSON.parse(text) as Body
  } catch {
    return {} as Body
  }
}
