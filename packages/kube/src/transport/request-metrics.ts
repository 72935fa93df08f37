import type { Clock } from '@machinist/core/clock'
import type { Metrics } from '@machinist/core/metrics'

/** Called when a request is sent; returns a function to call with the status code of the response. */
export type RequestMeter = (method: string, host: string) => (code: string) => void

/** The metrics of client-go, so that common dashboards work. */
export function requestMeter(clock: Clock, metrics: Metrics | undefined): RequestMeter {
  if (!metrics) return () => () => {}
  const total = metrics.counter({
    name: 'rest_client_requests_total',
    help: 'Number of requests to the API server, by status code, method and host.',
    labels: ['code', 'method', 'host'],
  })
  const duration = metrics.histogram({
    name: 'rest_client_request_duration_seconds',
    help: 'Time to the first byte of the response of the API server, by verb and host.',
    labels: ['verb', 'host'],
    buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60],
  })
  return (method, host) => {
    const started = clock.elapsed()
    return (code) => {
      total.add({ code, method, host })
      duration.observe({ verb: method, host }, (clock.elapsed() - started) / 1000)
    }
  }
}
