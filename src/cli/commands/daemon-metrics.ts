import type { Metrics } from '@machinist/core/metrics'
import type { Guard } from '../../process/page-guard.ts'
import type { Address, Served } from '../../process/pages.ts'
import { servePages } from '../../process/pages.ts'
import { processMetrics } from '../../process/process-metrics.ts'

/** Serves `/metrics` as Prometheus reads it, and health. The address it tells is that of the metrics. */
export async function serveMetrics(
  metrics: Metrics,
  address: Address,
  isReady: () => boolean,
  guard?: Guard,
): Promise<Served> {
  const pages = {
    '/metrics': () => metrics.text() + processMetrics(),
    '/healthz': () => 'ok\n',
    '/livez': () => 'ok\n',
    '/readyz': () => (isReady() ? 'ok\n' : { unwell: 'the Node was not seen yet' }),
  }
  const { url, stop } = await servePages(pages, address, 'metrics', guard)
  return { url: `${url}/metrics`, stop }
}
