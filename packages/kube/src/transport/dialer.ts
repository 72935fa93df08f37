import type { Cancel } from '@machinist/core/clock'
import type { Access, Connection } from '../connection/connection.ts'
import type { ReceivedResponse, ExchangeResult, PreparedRequest } from './exchange.ts'
import { exchange } from './exchange.ts'
import { ConnectionPool } from './connection-pool.ts'
import type { RequestMeter } from './request-metrics.ts'

/** Owns the connection pool of the newest credentials, and retries a request once when outdated credentials may be the cause. */
export class Dialer {
  readonly #connection: Connection
  readonly #meter: RequestMeter
  #pool: ConnectionPool | undefined

  constructor(connection: Connection, meter: RequestMeter) {
    this.#connection = connection
    this.#meter = meter
  }

  /**
   * Sends a request. After a 401 or a TLS error the credentials are read again, because their files may be newer; if they
   * have changed, the request is sent once more.
   */
  async send(request: PreparedRequest): Promise<ReceivedResponse> {
    const { signal } = request
    const access = await unlessAborted(this.#connection.access(), signal)
    const first = await this.#attempt(request, access)
    if (!isCredentialFailure(first)) return receivedOrThrow(first)
    const renewed = await unlessAborted(this.#connection.renew(access), signal)
    if (renewed === access) return receivedOrThrow(first)
    if ('response' in first) first.response.resume()
    return receivedOrThrow(await this.#attempt(request, renewed))
  }

  /** Calls `changed` with new credentials after idle connections with the old ones are closed. */
  follow(changed: (access: Access) => void): Cancel {
    return this.#connection.follow((access) => {
      this.#poolFor(access)
      changed(access)
    })
  }

  close(): void {
    this.#pool?.retire()
    this.#pool = undefined
  }

  async #attempt(request: PreparedRequest, access: Access): Promise<ExchangeResult> {
    const pool = this.#poolFor(access)
    const result = await this.#measure(request, pool)
    const retry = 'failure' in result && result.stale && request.request.method === 'GET'
    return retry ? await this.#measure(request, pool) : result
  }

  async #measure(request: PreparedRequest, pool: ConnectionPool): Promise<ExchangeResult> {
    const done = this.#meter(request.request.method, pool.host)
    try {
      const result = await exchange(pool, request)
      done('response' in result ? String(result.response.statusCode) : '<error>')
      return result
    } catch (aborted) {
      done('<error>')
      throw aborted
    }
  }

  #poolFor(access: Access): ConnectionPool {
    if (this.#pool?.access === access) return this.#pool
    const pool = new ConnectionPool(access)
    this.#pool?.retire()
    this.#pool = pool
    return pool
  }
}

function isCredentialFailure(result: ExchangeResult): boolean {
  return 'response' in result ? result.response.statusCode === 401 : result.tls
}

function receivedOrThrow(result: ExchangeResult): ReceivedResponse {
  if ('failure' in result) throw result.failure
  return result
}

/** Rejects when the signal aborts: a credential plugin that prompts a user may take long. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason)
    const abort = (): void => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    const settle = (): void => signal.removeEventListener('abort', abort)
    promise.then(resolve, reject).finally(settle)
  })
}
