import { systemClock } from '@machinist/core/clock'
import { KubeClient } from '@machinist/kube/client'
import { fixedConnection } from '@machinist/kube/connection/connection'
import { ApiFailure, ConnectionFailure } from '@machinist/kube/failure'
import type { Answer, Request, StreamRequest, Transport } from '@machinist/kube/transport'
import { askedOf } from '@machinist/kube/transport'
import { HttpTransport } from '@machinist/kube/transport-http'

/** Lets so many writes pass; then nothing more comes through, and of the last one not even the answer if it is lost. */
export class DyingTransport implements Transport {
  readonly written: string[] = []
  readonly #inner: Transport
  readonly #most: number
  readonly #isAnswerLost: boolean
  #isDead = false

  constructor(inner: Transport, most: number, isAnswerLost = false) {
    this.#inner = inner
    this.#most = most
    this.#isAnswerLost = isAnswerLost
  }

  get isDead(): boolean {
    return this.#isDead
  }

  async request(request: Request): Promise<Answer> {
    const { method, path } = request
    if (this.#isDead) throw new ConnectionFailure(askedOf(request), 'the line is dead')
    const isWrite = method !== 'GET' && !path.includes('/events')
    if (!isWrite) return this.#inner.request(request)
    this.written.push(`${method} ${path}`)
    this.#isDead = this.written.length >= this.#most
    const answer = await this.#inner.request(request)
    if (this.#isDead && this.#isAnswerLost) {
      throw new ConnectionFailure(askedOf(request), 'the line is dead')
    }
    return answer
  }

  stream(request: StreamRequest): AsyncIterable<Uint8Array> {
    return this.#inner.stream(request)
  }

  /** The connection is the test's own. */
  close(): void {}
}

export function dyingClient(
  url: string,
  most: number,
  isAnswerLost = false,
): { readonly client: KubeClient; readonly transport: DyingTransport } {
  const transport = new DyingTransport(lineTo(url), most, isAnswerLost)
  return { client: new KubeClient({ transport, clock: systemClock }), transport }
}

interface Disturbed {
  readonly client: KubeClient
  readonly mend: () => void
}

/** Of one resource nothing may be read, until it may. */
export function forbiddingClient(url: string, plural: string): Disturbed {
  return disturbedClient(url, (request) =>
    request.method === 'GET' && request.path.includes(`/${plural}`)
      ? new ApiFailure(askedOf(request), 403, { reason: 'Forbidden' })
      : undefined,
  )
}

/** Whatever is to be written of one resource fails as if a webhook were down, until it does not. */
export function failingClient(url: string, plural: string): Disturbed {
  return disturbedClient(url, (request) => {
    if (request.method === 'GET' || !request.path.includes(`/${plural}`)) return undefined
    const message = `failed calling webhook for ${JSON.stringify(request.body)}`
    return new ApiFailure(askedOf(request), 500, { reason: 'InternalError', message })
  })
}

function disturbedClient(
  url: string,
  failureOf: (request: Request) => ApiFailure | undefined,
): Disturbed {
  const inner = lineTo(url)
  let isMended = false
  const transport: Transport = {
    async request(request) {
      const failure = isMended ? undefined : failureOf(request)
      if (failure) throw failure
      return inner.request(request)
    },
    stream: (request) => inner.stream(request),
    close() {},
  }
  const client = new KubeClient({ transport, clock: systemClock })
  return { client, mend: () => void (isMended = true) }
}

function lineTo(url: string): Transport {
  const headers = { authorization: 'Bearer administrators-token' }
  const connection = fixedConnection({ server: url, tls: {}, headers })
  return new HttpTransport({ connection, clock: systemClock })
}
