import { systemClock } from '@machinist/core/clock'
import { KubeClient } from '@machinist/kube/client/client'
import { fixedConnection } from '@machinist/kube/connection/connection'
import { ApiFailure, ConnectionFailure } from '@machinist/kube/failure'
import type {
  ApiResponse,
  ApiRequest,
  StreamRequest,
  Transport,
} from '@machinist/kube/transport/transport'
import { requestLine } from '@machinist/kube/transport/transport'
import { HttpTransport } from '@machinist/kube/transport/http-transport'

/** Allows a number of writes, then fails all requests; optionally loses the response of the last write. */
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

  async request(request: ApiRequest): Promise<ApiResponse> {
    const { method, path } = request
    if (this.#isDead) throw new ConnectionFailure(requestLine(request), 'the connection is dead')
    const isWrite = method !== 'GET' && !path.includes('/events')
    if (!isWrite) return this.#inner.request(request)
    this.written.push(`${method} ${path}`)
    this.#isDead = this.written.length >= this.#most
    const answer = await this.#inner.request(request)
    if (this.#isDead && this.#isAnswerLost) {
      throw new ConnectionFailure(requestLine(request), 'the connection is dead')
    }
    return answer
  }

  stream(request: StreamRequest): AsyncIterable<Uint8Array> {
    return this.#inner.stream(request)
  }

  /** The test owns the connection. */
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
  readonly repair: () => void
}

/** Reads of one resource are forbidden until `repair`. */
export function forbiddingClient(url: string, plural: string): Disturbed {
  return disturbedClient(url, (request) =>
    request.method === 'GET' && request.path.includes(`/${plural}`)
      ? new ApiFailure(requestLine(request), 403, { reason: 'Forbidden' })
      : undefined,
  )
}

/** Writes of one resource fail like a broken webhook until `repair`. */
export function failingClient(url: string, plural: string): Disturbed {
  return disturbedClient(url, (request) => {
    if (request.method === 'GET' || !request.path.includes(`/${plural}`)) return undefined
    const message = `failed calling webhook for ${JSON.stringify(request.body)}`
    return new ApiFailure(requestLine(request), 500, { reason: 'InternalError', message })
  })
}

function disturbedClient(
  url: string,
  failureOf: (request: ApiRequest) => ApiFailure | undefined,
): Disturbed {
  const inner = lineTo(url)
  let isRepaired = false
  const transport: Transport = {
    async request(request) {
      const failure = isRepaired ? undefined : failureOf(request)
      if (failure) throw failure
      return inner.request(request)
    },
    stream: (request) => inner.stream(request),
    close() {},
  }
  const client = new KubeClient({ transport, clock: systemClock })
  return { client, repair: () => void (isRepaired = true) }
}

function lineTo(url: string): Transport {
  const headers = { authorization: 'Bearer administrators-token' }
  const connection = fixedConnection({ server: url, tls: {}, headers })
  return new HttpTransport({ connection, clock: systemClock })
}
