import type { Clock } from '@machinist/core/clock'
import type { Logger } from '@machinist/core/log'
import type { Counter, Gauge, Histogram, Metrics } from '@machinist/core/metrics'
import { fullVersion } from '@machinist/ignition/convert/versions'
import type { Refusal } from '../answer/refusal.ts'
import type { PreparedConfig } from '../prepared/prepared-config.ts'
import { ThrottledLog } from './throttled-log.ts'

/** Why a connection was closed before its time. */
export type CloseReason =
  'too many connections' | 'slow reader' | 'slow request' | 'bad request' | 'TLS failure'

const maxUserAgent = 100

/** Logs and metrics of the listeners. Contains no secret: requests carry tokens, and responses credentials. */
export class ServerReport {
  readonly #log: Logger
  readonly #throttled: ThrottledLog
  readonly #clock: Clock
  readonly #requests: Counter<'code'>
  readonly #served: Counter<'pool' | 'version'>
  readonly #errors: Counter<'reason'>
  readonly #closed: Counter<'reason'>
  readonly #connections: Gauge
  readonly #duration: Histogram

  constructor(log: Logger, clock: Clock, metrics: Metrics) {
    this.#log = log
    this.#throttled = new ThrottledLog(log, clock)
    this.#clock = clock
    this.#requests = metrics.counter({
      name: 'machinist_server_requests_total',
      help: 'Total number of requests, by status code.',
      labels: ['code'],
    })
    this.#served = metrics.counter({
      name: 'machinist_server_configs_served_total',
      help: 'Total number of served configs, by pool and Ignition version.',
      labels: ['pool', 'version'],
    })
    this.#errors = metrics.counter({
      name: 'machinist_server_errors_total',
      help: 'Total number of requests that were answered with an error, by reason.',
      labels: ['reason'],
    })
    this.#closed = metrics.counter({
      name: 'machinist_server_connections_closed_total',
      help: 'Total number of connections that were closed because of a limit or an error of the client, by reason.',
      labels: ['reason'],
    })
    this.#connections = metrics.gauge({
      name: 'machinist_server_connections',
      help: 'Number of open connections.',
    })
    this.#duration = metrics.histogram({
      name: 'machinist_server_request_duration_seconds',
      help: 'Time from the headers of a request until the client has received the response.',
      buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60],
    })
  }

  /** Returns a function to call when the response has been sent or aborted. */
  begin(): (code: number) => void {
    const started = this.#clock.elapsed()
    return (code) => {
      this.#requests.add({ code: String(code) })
      this.#duration.observe({}, (this.#clock.elapsed() - started) / 1000)
    }
  }

  served(
    pool: string,
    { name, version }: PreparedConfig,
    address: string,
    userAgent: string | undefined,
  ): void {
    this.#served.add({ pool, version: fullVersion(version) })
    this.#log.info('served a config', {
      pool,
      config: name,
      version: fullVersion(version),
      address,
      ...(userAgent !== undefined && { userAgent: userAgent.slice(0, maxUserAgent) }),
    })
  }

  /** Clients retry, so each reason is logged once per minute. */
  noConfig(pool: string, { status, reason, message }: Refusal, address: string): void {
    const kind = status === 404 ? reason : `${reason} ${pool}`
    this.#throttled.info(kind, 'no config for a request', {
      pool,
      reason,
      because: message,
      address,
    })
  }

  failed(reason: string): void {
    this.#errors.add({ reason })
  }

  closed(reason: CloseReason, address: string): void {
    this.#closed.add({ reason })
    this.#throttled.info(`closed ${reason}`, 'closed a connection', { reason, address })
  }

  connections(count: number): void {
    this.#connections.set({}, count)
  }
}
