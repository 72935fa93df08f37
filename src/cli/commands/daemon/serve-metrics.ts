import type { Metrics } from '@machinist/core/metrics'
import type { PageGuard } from '../../../process/page-guard.ts'
import type { Address, ServedPages } from '../../../process/pages.ts'
import { servePages } from '../../../process/pages.ts'
import { processMetrics } from '../../../process/process-metrics.ts'

/** Serves `/metrics` for Prometheus, and health. The returned URL is the one of the metrics. */
export async function serveMetrics(
  metrics: Metrics,
  address: Address,
  isReady: () => boolean,
  guard?: PageGuard,
): Promise<ServedPages> {
  const pages = {
    '/metrics': () => metrics.text() + processMetrics(),
    '/healthz': () => 'ok\n',
    '/livez': () => 'ok\n',
    '/readyz': () => (isReady() ? 'ok\n' : { notReady: 'the daemon has not read the Node yet' }),
  }
  const { url, stop } = await servePages(pages, address, 'metrics', guard)
  return { url: `${url}/metrics`, stop }
}
