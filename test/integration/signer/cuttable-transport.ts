import { ConnectionFailure } from '@machinist/kube/failure'
import type {
  ApiResponse,
  ApiRequest,
  StreamRequest,
  Transport,
} from '@machinist/kube/transport/transport'

/** What happens to a write when the connection breaks: the request is lost, or it is done and only the response is lost. */
export type Fate = 'lost' | 'done'

/** Called for each write (`PUT secrets/x`) except events; undefined: the connection holds. */
export type Fates = (write: string) => Fate | undefined

/** A connection to the API server that can be cut and restored. Requests in progress get no response when it is cut. */
export class CuttableTransport implements Transport {
  readonly #inner: Transport
  readonly #fates: Fates
  readonly #broken: () => void
  #cut = new AbortController()

  /** `broken` is called when the connection breaks at a write. */
  constructor(inner: Transport, fates: Fates = () => undefined, broken: () => void = () => {}) {
    this.#inner = inner
    this.#fates = fates
    this.#broken = broken
  }

  cut(): void {
    this.#cut.abort()
  }

  join(): void {
    this.#cut = new AbortController()
  }

  async request(request: ApiRequest): Promise<ApiResponse> {
    const { signal } = this.#cut
    if (signal.aborted) throw gone(request)
    const fate = this.#fateOf(request)
    if (fate) return this.#breakAt(request, fate)
    const answer = await this.#inner.request(request)
    // The request was sent on a connection that is cut now.
    if (signal.aborted) throw gone(request)
    return answer
  }

  async *stream(request: StreamRequest): AsyncIterable<Uint8Array> {
    const cut = this.#cut.signal
    if (cut.aborted) throw gone(request)
    const signal = AbortSignal.any([cut, ...(request.signal ? [request.signal] : [])])
    yield* this.#inner.stream({ ...request, signal })
    if (cut.aborted) throw gone(request)
  }

  close(): void {
    this.#inner.close()
  }

  #fateOf({ method, path }: ApiRequest): Fate | undefined {
    if (method === 'GET' || path.endsWith('/events')) return undefined
    return this.#fates(`${method} ${path.split('/').slice(-2).join('/')}`)
  }

  async #breakAt(request: ApiRequest, fate: Fate): Promise<never> {
    this.cut()
    if (fate === 'done') await this.#inner.request(request).catch(() => {})
    this.#broken()
    throw gone(request)
  }
}

const gone = (request: ApiRequest | StreamRequest): ConnectionFailure =>
  new ConnectionFailure(request, 'the connection is cut')
