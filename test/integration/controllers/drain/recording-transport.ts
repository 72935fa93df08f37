import type { VirtualClock } from '@machinist/core/virtual-clock'
import type {
  ApiResponse,
  ApiRequest,
  StreamRequest,
  Transport,
} from '@machinist/kube/transport/transport'

/** Records the virtual times of evictions, and whether responses are pending. */
export class RecordingTransport implements Transport {
  readonly #inner: Transport
  readonly #clock: VirtualClock
  readonly evictions: number[] = []
  #open = 0

  constructor(inner: Transport, clock: VirtualClock) {
    this.#inner = inner
    this.#clock = clock
  }

  get isIdle(): boolean {
    return this.#open === 0
  }

  async request(request: ApiRequest): Promise<ApiResponse> {
    if (request.path.endsWith('/eviction')) this.evictions.push(this.#clock.now())
    this.#open++
    try {
      return await this.#inner.request(request)
    } finally {
      this.#open--
    }
  }

  stream(request: StreamRequest): AsyncIterable<Uint8Array> {
    return this.#inner.stream(request)
  }

  /** The test closes the connection. */
  close(): void {}
}
