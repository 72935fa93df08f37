import { ConnectionFailure } from '@machinist/kube/failure'
import type { Answer, Request, StreamRequest, Transport } from '@machinist/kube/transport'

/**
 * The connection of a process that dies with a given write: the server gets it, but nobody hears the answer, and from
 * then on nothing goes out any more. Nothing is left that dying before the write would not have left as well.
 */
export class MortalTransport implements Transport {
  readonly #inner: Transport
  #writesLeft: number
  #isDying = false
  #isDead = false

  constructor(inner: Transport, writes: number) {
    this.#inner = inner
    this.#writesLeft = writes
  }

  /** Its last write has arrived. */
  get isDead(): boolean {
    return this.#isDead
  }

  async request(request: Request): Promise<Answer> {
    // Events come at their own pace, and nothing depends on them.
    const isWrite = request.method !== 'GET' && !request.path.endsWith('/events')
    if (isWrite && !this.#isDying && this.#writesLeft-- === 0) {
      this.#isDying = true
      await this.#inner.request(request).finally(() => (this.#isDead = true))
    }
    if (this.#isDying) throw new ConnectionFailure(request, 'the process is dead')
    return this.#inner.request(request)
  }

  stream(request: StreamRequest): AsyncIterable<Uint8Array> {
    return this.#inner.stream(request)
  }

  /** The connection is the test's own. */
  close(): void {}
}
