import type { Metrics } from '@machinist/core/metrics'
import type { TrustReport } from './reports.ts'

export interface TrustMetrics {
  update(reports: readonly TrustReport[]): void
}

/** Exposes when the certificates of each input expire. Absent inputs have no series. */
export function trustMetrics(metrics: Metrics): TrustMetrics {
  const notAfter = metrics.gauge({
    name: 'machinist_operator_input_not_after_seconds',
    help: 'When the first certificate of an input that has not expired expires, in seconds since the epoch.',
    labels: ['input'],
  })
  return {
    update(reports) {
      for (const { input, notAfter: expiry } of reports) {
        if (expiry === undefined) notAfter.forget({ input })
        else notAfter.set({ input }, expiry / 1000)
      }
    },
  }
}
