import type { Answer, Request, StreamRequest, Transport } from '@machinist/kube/transport'

export interface Asked {
  readonly method: string
  readonly path: string
  /** As it goes over the line. */
  readonly body: string
}

/** Keeps everything that is asked of an API server. */
export class RecordingTransport implements Transport {
  readonly asked: Asked[] = []
  readonly #inner: Transport

  constructor(inner: Transport) {
    this.#inner = inner
  }

  request(request: Request): Promise<Answer> {
    const { method, path, body } = request
    this.asked.push({ method, path, body: body === undefined ? '' : JSON.stringify(body) })
    return this.#inner.request(request)
  }

  stream(request: StreamRequest): AsyncIterable<Uint8Array> {
    return this.#inner.stream(request)
  }

  /** Who opened it closes it. */
  close(): void {}
}
