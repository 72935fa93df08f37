import type { VirtualClock } from '@machinist/core/virtual-clock'
import type { Answer, Request, StreamRequest, Transport } from '@machinist/kube/transport'

/** Notes when (in virtual time) pods were asked to leave, and whether answers are still awaited. */
export class NotingTransport implements Transport {
  readonly #inner: Transport
  readonly #clock: VirtualClock
  readonly evictions: number[] = []
  #open = 0

  constructor(inner: Transport, clock: VirtualClock) {
    this.#inner = inner
    this.#clock = clock
  }

  get isQuiet(): boolean {
    return this.#open === 0
  }

  async request(request: Request): Promise<Answer> {
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

  /** The connection is the test's own. */
  close(): void {}
}
