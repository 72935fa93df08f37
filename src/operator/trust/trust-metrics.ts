import type { Metrics } from '@machinist/core/metrics'
import type { TrustReport } from './reports.ts'

/** Shows when the certificates of each input end. What the cluster does not give has no series. */
export function trustMetrics(metrics: Metrics): (reports: readonly TrustReport[]) => void {
  const notAfter = metrics.gauge({
    name: 'machinist_operator_input_not_after_seconds',
    help: 'When the first certificate of an input that still counts ends, in seconds since the epoch.',
    labels: ['input'],
  })
  return (reports) => {
    for (const { input, notAfter: end } of reports) {
      if (end === undefined) notAfter.forget({ input })
      else notAfter.set({ input }, end / 1000)
    }
  }
}
