import { ConnectionFailure } from '@machinist/kube/failure'
import type {
  ApiResponse,
  ApiRequest,
  StreamRequest,
  Transport,
} from '@machinist/kube/transport/transport'

/**
 * The connection of a process that crashes at a given write: the API server receives the write, the response is lost, and no
 * further request is sent.
 */
export class CrashingTransport implements Transport {
  readonly #inner: Transport
  #writesLeft: number
  #isCrashing = false
  #hasCrashed = false

  constructor(inner: Transport, writes: number) {
    this.#inner = inner
    this.#writesLeft = writes
  }

  /** The last write has arrived. */
  get hasCrashed(): boolean {
    return this.#hasCrashed
  }

  async request(request: ApiRequest): Promise<ApiResponse> {
    // Events are asynchronous, and nothing depends on them.
    const isWrite = request.method !== 'GET' && !request.path.endsWith('/events')
    if (isWrite && !this.#isCrashing && this.#writesLeft-- === 0) {
      this.#isCrashing = true
      await this.#inner.request(request).finally(() => (this.#hasCrashed = true))
    }
    if (this.#isCrashing) throw new ConnectionFailure(request, 'the process has crashed')
    return this.#inner.request(request)
  }

  stream(request: StreamRequest): AsyncIterable<Uint8Array> {
    return this.#inner.stream(request)
  }

  /** The test closes the connection. */
  close(): void {}
}
