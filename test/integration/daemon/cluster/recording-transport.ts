import type {
  ApiResponse,
  ApiRequest,
  StreamRequest,
  Transport,
} from '@machinist/kube/transport/transport'

export interface Asked {
  readonly method: string
  readonly path: string
  /** The serialized body. */
  readonly body: string
}

/** Records all requests to an API server. */
export class RecordingTransport implements Transport {
  readonly asked: Asked[] = []
  readonly #inner: Transport

  constructor(inner: Transport) {
    this.#inner = inner
  }

  request(request: ApiRequest): Promise<ApiResponse> {
    const { method, path, body } = request
    this.asked.push({ method, path, body: body === undefined ? '' : JSON.stringify(body) })
    return this.#inner.request(request)
  }

  stream(request: StreamRequest): AsyncIterable<Uint8Array> {
    return this.#inner.stream(request)
  }

  /** The owner closes the inner transport. */
  close(): void {}
}
