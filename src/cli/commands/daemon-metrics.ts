import type { Metrics } from '../../base/metrics.ts'
import type { Address, Served } from '../pages.ts'
import { servePages } from '../pages.ts'

/** Serves `/metrics` as Prometheus reads it, and `/healthz`. The address it tells is that of the metrics. */
export async function serveMetrics(metrics: Metrics, address: Address): Promise<Served> {
  const pages = { '/metrics': () => metrics.text(), '/healthz': () => 'ok\n' }
  const { url, stop } = await servePages(pages, address, 'metrics')
  return { url: `${url}/metrics`, stop }
}
