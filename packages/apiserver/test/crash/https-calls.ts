import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'

export interface Identity {
  readonly ca: Buffer
  readonly token: string
}

export interface Outcome {
  readonly code: number
  readonly body: Wire
}

/** A decoded body, as far as these tests use it. */
export interface Wire {
  readonly kind?: string
  readonly message?: string
  readonly reason?: string
  readonly metadata: {
    readonly name: string
    readonly uid: string
    readonly resourceVersion: string
  }
  readonly data?: Readonly<Record<string, string>>
  readonly items: readonly Wire[]
  readonly status?: unknown
}

/** Plain requests to one server. A broken connection rejects: the outcome of the request is unknown then. */
export class HttpsCalls {
  readonly #url: string
  readonly #identity: Identity
  readonly #agent: Agent

  constructor(url: string, identity: Identity) {
    this.#url = url
    this.#identity = identity
    this.#agent = new Agent({ ca: identity.ca, keepAlive: true })
  }

  as(token: string): HttpsCalls {
    return new HttpsCalls(this.#url, { ...this.#identity, token })
  }

  async call(method: string, path: string, body?: unknown, type?: string): Promise<Outcome> {
    const answer = await this.open(method, path, body, type)
    const chunks: Buffer[] = []
    for await (const chunk of answer) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString('utf8')
    return { code: answer.statusCode ?? 0, body: JSON.parse(text) as Wire }
  }

  open(
    method: string,
    path: string,
    body?: unknown,
    type = 'application/json',
  ): Promise<IncomingMessage> {
    const sent = body === undefined ? undefined : JSON.stringify(body)
    const headers = {
      authorization: `Bearer ${this.#identity.token}`,
      ...(sent === undefined
        ? {}
        : { 'content-type': type, 'content-length': String(Buffer.byteLength(sent)) }),
    }
    return new Promise((resolve, reject) => {
      const requested = request(
        `${this.#url}${path}`,
        { method, agent: this.#agent, headers },
        (answer) => {
          answer.on('error', reject)
          resolve(answer)
        },
      )
      requested.on('error', reject)
      requested.end(sent)
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}
