import type { Clock } from '@machinist/core/clock'
import { sleep } from '@machinist/core/clock'
import type { Metrics } from '@machinist/core/metrics'
import type { Access, Connection } from '../connection/connection.ts'
import { ApiFailure, ConnectionFailure } from '../failure.ts'
import { Dialer } from './dialer.ts'
import type { ReceivedResponse, PreparedRequest } from './exchange.ts'
import { readBody, readChunks } from './exchange.ts'
import { apiFailure } from './transport-failure.ts'
import { RequestDeadline } from './request-deadline.ts'
import { requestMeter } from './request-metrics.ts'
import type { ApiResponse, ApiRequest, StreamRequest, Transport } from './transport.ts'
import { requestLine, StreamRetired } from './transport.ts'

export interface TransportOptions {
  readonly connection: Connection
  readonly clock: Clock
  readonly metrics?: Metrics
  /** Version in the User-Agent: `machinist/<version>`. */
  readonly version?: string
  /** Distinguishes several clients with the same identity in the User-Agent. */
  readonly caller?: string
  /** Default deadline of a request: 60 s. */
  readonly timeoutMs?: number
}

const maxErrorBytes = 1 << 20
const maxResponseBytes = 512 << 20
const maxReadTries = 4

/** Transport over HTTP/1.1 with TLS, or without TLS for local test servers. */
export class HttpTransport implements Transport {
  readonly #clock: Clock
  readonly #dialer: Dialer
  readonly #userAgent: string
  readonly #timeoutMs: number

  constructor(options: TransportOptions) {
    this.#clock = options.clock
    this.#dialer = new Dialer(options.connection, requestMeter(options.clock, options.metrics))
    const caller = options.caller === undefined ? '' : ` (${options.caller})`
    this.#userAgent = `machinist/${options.version ?? 'unknown'}${caller}`
    this.#timeoutMs = options.timeoutMs ?? 60_000
  }

  async request(request: ApiRequest): Promise<ApiResponse> {
    const deadline = new RequestDeadline(this.#clock, request.signal)
    const ms = request.timeoutMs ?? this.#timeoutMs
    deadline.start(ms, () => requestFailure(request, `no complete response within ${ms / 1000} s`))
    const prepared = this.#prepare(request, deadline.signal, { 'accept-encoding': 'gzip' })
    try {
      return await this.#sendWithRetries(prepared, this.#clock.elapsed() + ms)
    } finally {
      deadline.release()
    }
  }

  async *stream(request: StreamRequest): AsyncIterable<Uint8Array> {
    const deadline = new RequestDeadline(this.#clock, request.signal)
    const restartWatchdog = (ms: number | undefined): void =>
      deadline.start(ms, () =>
        requestFailure(request, `the connection was closed: no data for ${ms! / 1000} s`),
      )
    const renewal = this.#renewal(() => deadline.abort(new StreamRetired()))
    deadline.signal.addEventListener('abort', renewal.stop, { once: true })
    try {
      restartWatchdog(request.idleMs ?? this.#timeoutMs)
      const prepared = this.#prepare(request, deadline.signal)
      const received = await this.#receive(prepared)
      renewal.using(received.pool.access)
      restartWatchdog(request.idleMs)
      for await (const chunk of readChunks(prepared, received)) {
        // The time that the consumer takes does not count as idle time of the server.
        deadline.stop()
        yield chunk
        restartWatchdog(request.idleMs)
      }
    } catch (error) {
      if (!deadline.isAbortedByCaller) throw error
    } finally {
      deadline.release()
      renewal.stop()
    }
  }

  close(): void {
    this.#dialer.close()
  }

  #prepare(
    request: ApiRequest,
    signal: AbortSignal,
    extra: Record<string, string> = {},
  ): PreparedRequest {
    const accept = request.accept ?? 'application/json'
    return { request, signal, headers: { accept, 'user-agent': this.#userAgent, ...extra } }
  }

  /** Retries reads a few times when the server specifies a delay (Retry-After). */
  async #sendWithRetries(prepared: PreparedRequest, due: number): Promise<ApiResponse> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#sendOnce(prepared)
      } catch (error) {
        const delay = prepared.request.method === 'GET' ? requestedDelay(error) : undefined
        const isTooLate = delay === undefined || this.#clock.elapsed() + delay >= due
        if (isTooLate || tries === maxReadTries) throw error
        await sleep(this.#clock, delay, prepared.signal)
      }
    }
  }

  async #sendOnce(prepared: PreparedRequest): Promise<ApiResponse> {
    const received = await this.#receive(prepared)
    const body = await readBody(prepared, received, maxResponseBytes)
    if (!body)
      throw requestFailure(prepared.request, `the response exceeds ${maxResponseBytes} bytes`)
    const { statusCode, headers } = received.response
    return { code: statusCode!, contentType: headers['content-type'] ?? '', body }
  }

  /** Sends a request and returns the response head. Throws ApiFailure for an error status. */
  async #receive(prepared: PreparedRequest): Promise<ReceivedResponse> {
    const received = await this.#dialer.send(prepared)
    const { statusCode: code = 0, headers } = received.response
    if (code >= 200 && code < 300) return received
    const body = (await readBody(prepared, received, maxErrorBytes)) ?? Buffer.alloc(0)
    throw apiFailure(requestLine(prepared.request), {
      code,
      body,
      retryAfter: headers['retry-after'],
    })
  }

  /** Calls `retire` when the credentials in use are no longer the newest. */
  #renewal(retire: () => void): { using: (access: Access) => void; stop: () => void } {
    let used: Access | undefined
    let newest: Access | undefined
    const check = (): void => {
      if (used && newest && used !== newest) retire()
    }
    const stop = this.#dialer.follow((access) => {
      newest = access
      check()
    })
    return {
      stop,
      using(access) {
        used = access
        check()
      },
    }
  }
}

const requestFailure = (request: ApiRequest, why: string): ConnectionFailure =>
  new ConnectionFailure(requestLine(request), why)

/** The retry delay that an overloaded server specifies. */
function requestedDelay(error: unknown): number | undefined {
  const overloaded = error instanceof ApiFailure && (error.code === 429 || error.code === 503)
  return overloaded ? error.retryAfterMs : undefined
}
