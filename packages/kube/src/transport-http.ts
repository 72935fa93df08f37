import type { Clock } from '@machinist/core/clock'
import { sleep } from '@machinist/core/clock'
import type { Metrics } from '@machinist/core/metrics'
import type { Access, Connection } from './connection/connection.ts'
import { ApiFailure, ConnectionFailure } from './failure.ts'
import { Dialer } from './transport-dialer.ts'
import type { Answered, Question } from './transport-exchange.ts'
import { bodyOf, chunksOf } from './transport-exchange.ts'
import { apiFailure } from './transport-failure.ts'
import { Leash } from './transport-leash.ts'
import { requestMeter } from './transport-meter.ts'
import type { Answer, Request, StreamRequest, Transport } from './transport.ts'
import { askedOf, StreamRetired } from './transport.ts'

export interface TransportOptions {
  readonly connection: Connection
  readonly clock: Clock
  readonly metrics?: Metrics
  /** Ours, for the server's logs: `machinist/<version>`. */
  readonly version?: string
  /** Which of several that share an identity this is; for the server's logs, too. */
  readonly caller?: string
  /** How long one answer may take where the request does not say: 60 s. */
  readonly timeoutMs?: number
}

const maxErrorBytes = 1 << 20
const maxAnswerBytes = 512 << 20
const maxReadTries = 4

/** Questions over HTTP/1.1, with TLS or (to a local test server) without. */
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

  async request(request: Request): Promise<Answer> {
    const leash = new Leash(this.#clock, request.signal)
    const ms = request.timeoutMs ?? this.#timeoutMs
    leash.arm(ms, () => noAnswer(request, `no whole answer within ${ms / 1000} s`))
    const question = this.#question(request, leash.signal, { 'accept-encoding': 'gzip' })
    try {
      return await this.#patiently(question, this.#clock.elapsed() + ms)
    } finally {
      leash.release()
    }
  }

  async *stream(request: StreamRequest): AsyncIterable<Uint8Array> {
    const leash = new Leash(this.#clock, request.signal)
    const watchdog = (ms: number | undefined): void =>
      leash.arm(ms, () =>
        noAnswer(request, `not a byte came for ${ms! / 1000} s, so it was given up`),
      )
    const renewal = this.#renewal(() => leash.pull(new StreamRetired()))
    leash.signal.addEventListener('abort', renewal.stop, { once: true })
    try {
      watchdog(request.idleMs ?? this.#timeoutMs)
      const question = this.#question(request, leash.signal)
      const answered = await this.#accepted(question)
      renewal.using(answered.lane.access)
      watchdog(request.idleMs)
      for await (const chunk of chunksOf(question, answered)) {
        // A consumer that takes its time is not a silence of the server's.
        leash.disarm()
        yield chunk
        watchdog(request.idleMs)
      }
    } catch (error) {
      if (!leash.abandoned) throw error
    } finally {
      leash.release()
      renewal.stop()
    }
  }

  close(): void {
    this.#dialer.close()
  }

  #question(request: Request, signal: AbortSignal, extra: Record<string, string> = {}): Question {
    const accept = request.accept ?? 'application/json'
    return { request, signal, headers: { accept, 'user-agent': this.#userAgent, ...extra } }
  }

  /** Reads are asked again, a few times, when the server names the time at which to come back. */
  async #patiently(question: Question, due: number): Promise<Answer> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#once(question)
      } catch (error) {
        const wait = question.request.method === 'GET' ? politeWait(error) : undefined
        const late = wait === undefined || this.#clock.elapsed() + wait >= due
        if (late || tries === maxReadTries) throw error
        await sleep(this.#clock, wait, question.signal)
      }
    }
  }

  async #once(question: Question): Promise<Answer> {
    const answered = await this.#accepted(question)
    const body = await bodyOf(question, answered, maxAnswerBytes)
    if (!body) throw noAnswer(question.request, `the answer exceeds ${maxAnswerBytes} bytes`)
    const { statusCode, headers } = answered.response
    return { code: statusCode!, contentType: headers['content-type'] ?? '', body }
  }

  /** The head of an answer that is not a refusal. */
  async #accepted(question: Question): Promise<Answered> {
    const answered = await this.#dialer.ask(question)
    const { statusCode: code = 0, headers } = answered.response
    if (code >= 200 && code < 300) return answered
    const body = (await bodyOf(question, answered, maxErrorBytes)) ?? Buffer.alloc(0)
    throw apiFailure(askedOf(question.request), { code, body, retryAfter: headers['retry-after'] })
  }

  /** Calls `retire` as soon as the access in use is no longer the newest one. */
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

const noAnswer = (request: Request, why: string): ConnectionFailure =>
  new ConnectionFailure(askedOf(request), why)

/** How long an overloaded server wants to be left alone. */
function politeWait(error: unknown): number | undefined {
  const overloaded = error instanceof ApiFailure && (error.code === 429 || error.code === 503)
  return overloaded ? error.retryAfterMs : undefined
}
