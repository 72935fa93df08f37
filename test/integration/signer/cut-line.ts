import { ConnectionFailure } from '@machinist/kube/failure'
import type { Answer, Request, StreamRequest, Transport } from '@machinist/kube/transport'

/** What becomes of a write at which the line breaks: it is lost on its way, or done, and only the answer is lost. */
export type Fate = 'lost' | 'done'

/** Asked at each write (`PUT secrets/x`) but those of events, which nobody goes by; undefined: the line holds. */
export type Fates = (write: string) => Fate | undefined

/** A line to the API server that can be cut, and joined again. What is under way when it is cut gets no answer. */
export class CutLine implements Transport {
  readonly #inner: Transport
  readonly #fates: Fates
  readonly #broken: () => void
  #cut = new AbortController()

  /** `broken` hears when the line has broken at a write. */
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

  async request(request: Request): Promise<Answer> {
    const { signal } = this.#cut
    if (signal.aborted) throw gone(request)
    const fate = this.#fateOf(request)
    if (fate) return this.#breakAt(request, fate)
    const answer = await this.#inner.request(request)
    // Asked on the line as it was then.
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

  #fateOf({ method, path }: Request): Fate | undefined {
    if (method === 'GET' || path.endsWith('/events')) return undefined
    return this.#fates(`${method} ${path.split('/').slice(-2).join('/')}`)
  }

  async #breakAt(request: Request, fate: Fate): Promise<never> {
    this.cut()
    if (fate === 'done') await this.#inner.request(request).catch(() => {})
    this.#broken()
    throw gone(request)
  }
}

const gone = (request: Request | StreamRequest): ConnectionFailure =>
  new ConnectionFailure(request, 'the line is cut')
